#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/softmax.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr float kTemperature = 0.5F;

template <SoftmaxRung rung>
class SoftmaxRows : public Instance {
 public:
  SoftmaxRows(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {
    constexpr std::size_t kPasses = rung == SoftmaxRung::thread ? 4 : 3;
    by_table = {rung == SoftmaxRung::thread ? "R 4 n s" : "R 3 n s", rows * kPasses * columns * sizeof(float)};
    floor = {"R 2 n s", rows * 2 * columns * sizeof(float)};
    inputs = {x_.input()};
  }

  emulator::KernelLaunch launch() override {
    const int columns = static_cast<int>(columns_);
    if constexpr (rung == SoftmaxRung::thread) {
      return emulator::make_launch(softmax_thread<float>, 1, static_cast<unsigned>(rows_), 0, x_.ptr(), y_.ptr(),
                                   kTemperature, static_cast<int>(rows_), columns);
    } else {
      return emulator::make_launch(softmax_block<float>, static_cast<unsigned>(rows_), 64, 0, x_.ptr(), y_.ptr(),
                                   kTemperature, columns);
    }
  }
  /// Exponentials of numbers down to -6 are off by 2 + 6 units of 2^-23, their sum by n more, the quotient by one.
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t row = 0; row < rows_; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < columns_; ++i) sum += std::exp(x_[row * columns_ + i] / double{kTemperature});
      for (std::size_t i = 0; i < columns_; ++i)
        exact.push_back(std::exp(x_[row * columns_ + i] / double{kTemperature}) / sum);
    }
    return {written("y", y_, exact, static_cast<double>(2 * 8 + columns_ + 1) * 0x1p-23)};
  }

 private:
  std::size_t rows_, columns_;
  Given<float> x_{"x", small_numbers(rows_* columns_, 5)};
  DeviceBuffer<float> y_{rows_ * columns_, "y"};
};

template <SoftmaxRung rung>
Problem problem(std::string id, std::string title, std::size_t rows, std::size_t columns) {
  return {std::move(id), std::move(title),
          [rows, columns] { return std::make_unique<SoftmaxRows<rung>>(rows, columns); }};
}

}  // namespace

Kernel softmax_demos() {
  return {
      "softmax",
      "scores become shares of 1",
      {{"thread", "one thread a row, in three steps", {problem<SoftmaxRung::thread>("8x16", "8 rows of 16", 8, 16)}},
       {"block",
        "one block a row: the largest and the sum in one go",
        {problem<SoftmaxRung::block>("2x96", "2 rows of 96", 2, 96)}}}};
}

}  // namespace kvarium::cuda::demos
