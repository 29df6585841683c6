#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/rope.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr int kHeads = 2, kPairs = 8, kWidth = kHeads * 2 * kPairs;

/// Tokens at positions 3 and 40: one turns a little, the other a lot.
std::vector<double> angles() {
  std::vector<double> angles;
  for (const double position : {3.0, 40.0}) {
    for (int i = 0; i < kPairs; ++i) angles.push_back(position * std::pow(10000.0, -static_cast<double>(i) / kPairs));
  }
  return angles;
}
std::vector<float> of_angles(double (*function)(double)) {
  std::vector<float> numbers;
  for (const double angle : angles()) numbers.push_back(static_cast<float>(function(angle)));
  return numbers;
}

template <RopeRung rung, RopePairs pairs>
class RopeTwo : public Instance {
 public:
  RopeTwo() {
    constexpr std::size_t kRotated = std::size_t{2} * kPairs;
    by_table = {"t (2 h r s + 4 h r)", kTokens * (2 * kHeads * kRotated * sizeof(float) + 4 * kHeads * kRotated)};
    floor = {"t (2 h r s + 4 r)", kTokens * (2 * kHeads * kRotated * sizeof(float) + 4 * kRotated)};
    inputs = {x_.input(), cosines_.input(), sines_.input()};
  }

  emulator::KernelLaunch launch() override {
    const RopeRows<float> rows{x_.ptr(), static_cast<int>(kTokens), kHeads, kWidth, kWidth / kHeads};
    const auto kernel = rung == RopeRung::number ? rope_number<float, pairs> : rope_packs<float, pairs>;
    return emulator::make_launch(kernel, static_cast<unsigned>(kTokens), kThreads, 0, rows,
                                 RopeAngles{cosines_.ptr(), sines_.ptr(), kPairs});
  }
  /// A cosine, a product and a sum are rounded by 2^-24 each, of numbers up to 1.5 and sums up to 3.
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t i = 0; i < x_.size(); ++i) exact.push_back(turned(i));
    return {written("x", x_.memory(), exact, 9 * 0x1p-24)};
  }

 private:
  static constexpr std::size_t kTokens = 2;
  static constexpr unsigned kPairsAThread = rung == RopeRung::number ? 1 : pairs == RopePairs::halves ? 4 : 2;
  static constexpr unsigned kThreads = kHeads * kPairs / kPairsAThread;

  /// Number i of x, turned with the other one of its pair.
  double turned(std::size_t i) const {
    constexpr bool kIsHalves = pairs == RopePairs::halves;
    const std::size_t place = i % (2 * kPairs), pair = kIsHalves ? place % kPairs : place / 2;
    const bool is_second = kIsHalves ? place >= kPairs : place % 2 == 1;
    const std::size_t step = kIsHalves ? kPairs : 1;
    const double angle = angles()[i / kWidth * kPairs + pair];
    return is_second ? x_[i - step] * std::sin(angle) + x_[i] * std::cos(angle)
                     : x_[i] * std::cos(angle) - x_[i + step] * std::sin(angle);
  }

  Given<float> x_{"x", small_numbers(kTokens* kWidth, 5)};
  Given<float> cosines_{"cosines", of_angles([](double angle) { return std::cos(angle); })};
  Given<float> sines_{"sines", of_angles([](double angle) { return std::sin(angle); })};
};

template <RopeRung rung>
std::vector<Problem> problems() {
  return {{"halves", "2 tokens, pairs half a head apart",
           [] { return std::make_unique<RopeTwo<rung, RopePairs::halves>>(); }},
          {"interleaved", "2 tokens, pairs of neighbours",
           [] { return std::make_unique<RopeTwo<rung, RopePairs::interleaved>>(); }}};
}

}  // namespace

Kernel rope_demos() {
  return {"rope",
          "rotary positions: pairs of numbers are turned by an angle",
          {{"number", "one thread a pair", problems<RopeRung::number>()},
           {"packs", "one thread packs of 16 bytes", problems<RopeRung::packs>()}}};
}

}  // namespace kvarium::cuda::demos
