#pragma once
// How the simple formats choose a block's scale and round to it; dequantising needs none of this.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cpu_reference/matrix.h"

namespace kvarium::cpu {

/// The number of largest size, with its sign; the first of equals.
inline float largest_in_size(const float* numbers, Index count) {
  return *std::max_element(numbers, numbers + count, [](float a, float b) { return std::abs(a) < std::abs(b); });
}

/// 1 / scale, and 0 for a block of zeros.
inline float inverse_of(float scale) { return scale == 0 ? 0.0F : 1 / scale; }

/// `number` rounded down into [0, largest].
inline std::uint8_t floor_into(float number, float largest) {
  return static_cast<std::uint8_t>(std::clamp(number, 0.0F, largest));
}

}  // namespace kvarium::cpu
