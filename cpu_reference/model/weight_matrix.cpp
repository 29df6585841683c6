#include "cpu_reference/model/weight_matrix.h"

namespace kvarium::cpu {
namespace {

struct Entry {
  std::string_view name;
  std::uint32_t numbers;  // in a block
  std::uint32_t bytes;    // of a block
};

Entry entry(WeightType type) {
  switch (type) {
    case WeightType::f32:
      return {"F32", 1, 4};
    case WeightType::f16:
      return {"F16", 1, 2};
    case WeightType::bf16:
      return {"BF16", 1, 2};
    case WeightType::q8_0:
      return {"Q8_0", 32, 34};
    case WeightType::q4_0:
      return {"Q4_0", 32, 18};
    case WeightType::q4_1:
      return {"Q4_1", 32, 20};
    case WeightType::q5_0:
      return {"Q5_0", 32, 22};
    case WeightType::q5_1:
      return {"Q5_1", 32, 24};
    case WeightType::q4_k:
      return {"Q4_K", 256, 144};
    case WeightType::q6_k:
      return {"Q6_K", 256, 210};
  }
  throw MisuseError("there is no such weight type");
}

}  // namespace

std::uint32_t numbers_per_block(WeightType type) { return entry(type).numbers; }
std::uint32_t bytes_per_block(WeightType type) { return entry(type).bytes; }
std::string_view name(WeightType type) { return entry(type).name; }

std::uint64_t row_bytes(WeightType type, std::uint64_t columns) {
  const Entry block = entry(type);
  if (columns % block.numbers != 0) {
    throw MisuseError(
        fmt::format("a row of {} numbers is no whole number of {} blocks of {}", columns, block.name, block.numbers));
  }
  return columns / block.numbers * block.bytes;
}

std::uint64_t WeightMatrix::bytes() const {
  return static_cast<std::uint64_t>(rows) * row_bytes(type, static_cast<std::uint64_t>(columns));
}

const std::byte* WeightMatrix::row(Index r) const {
  return data + static_cast<std::uint64_t>(r) * row_bytes(type, static_cast<std::uint64_t>(columns));
}

Eigen::Map<const Matrix> WeightMatrix::f32() const {
  if (type != WeightType::f32) throw MisuseError(fmt::format("a weight is {}, not F32", name(type)));
  return {reinterpret_cast<const float*>(data), rows, columns};
}

Eigen::Map<Matrix> writable_f32(const WeightMatrix& weight) {
  const Eigen::Map<const Matrix> numbers = weight.f32();
  return {const_cast<float*>(numbers.data()), weight.rows, weight.columns};
}

}  // namespace kvarium::cpu
