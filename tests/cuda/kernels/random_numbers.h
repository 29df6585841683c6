#pragma once
// Inputs for kernels, the same for the emulated tests and for those on a device.

#include <cstddef>
#include <random>
#include <vector>

#include "cuda/simt/numbers.h"

namespace kvarium_test {

/// Numbers of T around 0, most of them below 2 in size.
template <typename T>
std::vector<T> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<T> numbers(count);
  for (T& number : numbers) number = kvarium::cuda::from_float<T>(normal(random));
  return numbers;
}

/// Half of the last place of T for a number between 1 and 2; for float 0, whose roundings are counted one by one.
template <typename T>
double half_of_last_place() {
  if (sizeof(T) == 4) return 0;
  return std::is_same_v<T, kvarium::cuda::f16> ? 0x1p-11 : 0x1p-8;
}

template <typename T>
double as_double(T number) {
  return static_cast<double>(kvarium::cuda::to_float(number));
}

}  // namespace kvarium_test
