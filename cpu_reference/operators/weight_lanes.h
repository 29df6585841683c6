#pragma once
// Numbers of a weight's row as vectors, straight from memory, for the types whose decoding is worth it: the same bits
// as dequantize_row() gives.

#include "cpu_reference/lanes.h"
#include "cpu_reference/quant/dequantize.h"
#include "cpu_reference/quant/half_types.h"
#include "cpu_reference/quant/q8_0.h"

namespace kvarium::cpu {

constexpr Index kStep = 32;  ///< numbers that are read at a time

struct StepLanes {
  Lanes lanes[kStep / kLanes];
};

// A type tells the inner loop its kType, the bytes of kStep numbers, and read(): the kStep numbers of a row from
// `column` on, a multiple of kStep.

struct F32Weight {
  static constexpr WeightType kType = WeightType::f32;
  static constexpr std::size_t kStepBytes = kStep * sizeof(float);
  static StepLanes read(const std::byte* row, Index column) {
    StepLanes step;
    const auto* numbers = reinterpret_cast<const float*>(row) + column;
    for (Index i = 0; i < kStep / kLanes; ++i) step.lanes[i] = load_lanes(numbers + i * kLanes);
    return step;
  }
};

struct F16Weight {
  static constexpr WeightType kType = WeightType::f16;
  static constexpr std::size_t kStepBytes = 2 * kStep;
  static StepLanes read(const std::byte* row, Index column) {
    StepLanes step;
    for (Index i = 0; i < kStep / kLanes; ++i) step.lanes[i] = f16_lanes(row + 2 * (column + i * kLanes));
    return step;
  }
};

struct Bf16Weight {
  static constexpr WeightType kType = WeightType::bf16;
  static constexpr std::size_t kStepBytes = 2 * kStep;
  static StepLanes read(const std::byte* row, Index column) {
    StepLanes step;
    for (Index i = 0; i < kStep / kLanes; ++i) step.lanes[i] = bf16_lanes(row + 2 * (column + i * kLanes));
    return step;
  }
};

struct Q8_0Weight {
  static constexpr WeightType kType = WeightType::q8_0;
  static constexpr std::size_t kStepBytes = sizeof(BlockQ8_0);
  static StepLanes read(const std::byte* row, Index column) {
    const BlockQ8_0& block = blocks_of<BlockQ8_0>(row)[column / BlockQ8_0::kNumbers];
    const float scale = block.scale.widened();
    StepLanes step;
    for (Index i = 0; i < kStep / kLanes; ++i) step.lanes[i] = scale * int8_lanes(block.quants + i * kLanes);
    return step;
  }
};

/// The last `count` < kStep numbers of a row, from `column` on, and zeros behind them.
template <class Weight>
StepLanes read_rest(const std::byte* row, Index column, Index count) {
  float numbers[kStep] = {};
  const std::uint64_t skip = row_bytes(Weight::kType, static_cast<std::uint64_t>(column));
  dequantize_row(Weight::kType, row + skip, count, numbers);
  StepLanes step;
  for (Index i = 0; i < kStep / kLanes; ++i) step.lanes[i] = load_lanes(numbers + i * kLanes);
  return step;
}

}  // namespace kvarium::cpu
