#include "cpu_reference/quant/half_types.h"

namespace kvarium::cpu {
namespace {

std::uint16_t half_at(const std::byte* row, Index i) {
  std::uint16_t half;
  std::memcpy(&half, row + 2 * i, sizeof half);
  return half;
}

template <std::uint16_t (*narrow)(float)>
void narrow_row(const float* numbers, Index columns, std::byte* row) {
  for (Index i = 0; i < columns; ++i) {
    const std::uint16_t half = narrow(numbers[i]);
    std::memcpy(row + 2 * i, &half, sizeof half);
  }
}

}  // namespace

void dequantize_f16(const std::byte* row, Index columns, float* __restrict out) {
  Index i = 0;
  for (; i + kLanes <= columns; i += kLanes) store_lanes(f16_lanes(row + 2 * i), out + i);
  for (; i < columns; ++i) out[i] = f16_to_f32(half_at(row, i));
}

void dequantize_bf16(const std::byte* row, Index columns, float* __restrict out) {
  Index i = 0;
  for (; i + kLanes <= columns; i += kLanes) store_lanes(bf16_lanes(row + 2 * i), out + i);
  for (; i < columns; ++i) out[i] = bf16_to_f32(half_at(row, i));
}

void quantize_f16(const float* numbers, Index columns, std::byte* row) {
  narrow_row<f32_to_f16>(numbers, columns, row);
}
void quantize_bf16(const float* numbers, Index columns, std::byte* row) {
  narrow_row<f32_to_bf16>(numbers, columns, row);
}

}  // namespace kvarium::cpu
