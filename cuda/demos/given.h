#pragma once
// What demos give to their kernels, and what they get back.

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/demos/demo.h"
#include "cuda/simt/host.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda::demos {

/// Quarters from -1.5 to 1.5, which every format of numbers holds exactly. Arrays differ by their `step`, which is no
/// multiple of 13.
inline std::vector<float> small_numbers(std::size_t count, std::size_t step) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>(static_cast<int>(i * step % 13) - 6) / 4);
  return numbers;
}

template <typename T>
T as_number(float number) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(number);
  if constexpr (!std::is_integral_v<T>) return from_float<T>(number);
}
template <typename T>
float as_float(T number) {
  if constexpr (std::is_integral_v<T>) return static_cast<float>(number);
  if constexpr (!std::is_integral_v<T>) return to_float(number);
}

/// Numbers that T holds exactly, on the host and in the memory of the device.
template <typename T>
class Given {
 public:
  Given(const char* name, std::vector<float> numbers)
      : input_{name, std::move(numbers)}, memory_(input_.numbers.size(), name) {
    std::vector<T> rounded;
    for (const float number : input_.numbers) rounded.push_back(as_number<T>(number));
    memory_.upload(rounded.data(), rounded.size());
  }

  gptr<T> ptr() { return memory_.ptr(); }
  const DeviceBuffer<T>& memory() const { return memory_; }
  const Input& input() const { return input_; }
  std::size_t size() const { return input_.numbers.size(); }
  /// As it was given, also after a kernel has changed it.
  double operator[](std::size_t i) const { return static_cast<double>(input_.numbers[i]); }

 private:
  Input input_;
  DeviceBuffer<T> memory_;
};

/// `count` numbers of a buffer from `first` on, with what they had to be.
template <typename T>
Output written(std::string name, const DeviceBuffer<T>& buffer, std::vector<double> exact, double tolerance,
               std::size_t first = 0) {
  std::vector<T> numbers(exact.size());
  buffer.download(numbers.data(), numbers.size(), first);
  Output output{std::move(name), {}, std::move(exact), tolerance};
  for (const T number : numbers) output.numbers.push_back(as_float(number));
  return output;
}

}  // namespace kvarium::cuda::demos
