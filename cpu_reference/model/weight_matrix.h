#pragma once
// A weight as it lies in memory or in a mapped file: full numbers, half numbers, or blocks of small integers.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// The quantised types are ggml's: a block of numbers shares a scale (and, in the _1 types and in Q4_K, a minimum).
enum class WeightType : std::uint8_t { f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q6_k };

std::uint32_t numbers_per_block(WeightType type);
std::uint32_t bytes_per_block(WeightType type);
std::string_view name(WeightType type);  ///< "F32", "Q4_K"
/// MisuseError unless `columns` is a whole number of blocks.
std::uint64_t row_bytes(WeightType type, std::uint64_t columns);

/// A view: [rows][columns], row-major, one row directly behind the other.
struct WeightMatrix {
  WeightType type = WeightType::f32;
  Index rows = 0;
  Index columns = 0;
  /// For F32, F16 and BF16 on a 64-byte boundary: otherwise every vector load would touch two cache lines.
  const std::byte* data = nullptr;

  std::uint64_t numbers() const { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns); }
  std::uint64_t bytes() const;
  const std::byte* row(Index r) const;
  bool empty() const { return rows == 0; }
  /// The numbers of an F32 weight: [rows][columns]. MisuseError for another type.
  Eigen::Map<const Matrix> f32() const;
};

/// To fill a weight that Model's constructor made. MisuseError unless F32. Never for a mapped file: it cannot be
/// written.
Eigen::Map<Matrix> writable_f32(const WeightMatrix& weight);

}  // namespace kvarium::cpu
