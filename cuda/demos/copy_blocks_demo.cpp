#include "core/words/words.h"
#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr KvLayout kLayout{4, 1, 16};
constexpr unsigned kBlocks = 16;
constexpr BlockPair kPair{12, 5, 3};

/// Three slots of block 12 go to block 5: what copy-on-write asks for.
template <CopyBlocksRung rung>
class CopyOne : public Instance {
 public:
  CopyOne() {
    const std::size_t bytes = kPair.tokens * kLayout.token_stride() * sizeof(float);
    by_table = {"4 l n w s + 12 T", 4 * bytes + 2 * kThreads * sizeof(BlockPair)};
    floor = {"4 l n w s + 12", 4 * bytes + sizeof(BlockPair)};
    inputs = {block_of("K", keys_), block_of("V", values_)};
  }

  emulator::KernelLaunch launch() override {
    const CacheOfLayers<float> cache{keys_.ptr(), values_.ptr(), 1, kBlocks, kLayout};
    const auto kernel = rung == CopyBlocksRung::numbers ? copy_blocks_numbers<float> : copy_blocks_packs<float>;
    return emulator::make_launch(kernel, dim3(1, 1, 2), kThreads, 0, cache, pairs_.ptr());
  }
  std::vector<Output> outputs() const override {
    std::vector<double> exact;
    for (std::size_t i = 0; i < kLayout.block_stride(); ++i)
      exact.push_back(i < kPair.tokens * kLayout.token_stride() ? keys_[kLayout.offset(kPair.from, 0, 0, 0) + i] : NAN);
    return {written(tr_format("K in block {}", kPair.to), keys_.memory(), exact, 0, kLayout.offset(kPair.to, 0, 0, 0))};
  }

 private:
  static constexpr unsigned kThreads = rung == CopyBlocksRung::numbers ? 32 : 8;

  /// Only the block that is copied holds something.
  static std::vector<float> cache(float first) {
    std::vector<float> numbers(kBlocks * kLayout.block_stride(), NAN);
    for (std::size_t i = 0; i < kLayout.block_stride(); ++i)
      numbers[kLayout.offset(kPair.from, 0, 0, 0) + i] = first + static_cast<float>(i);
    return numbers;
  }
  static Input block_of(const char* name, const Given<float>& cache) {
    const auto begin = cache.input().numbers.begin() + static_cast<long>(kLayout.offset(kPair.from, 0, 0, 0));
    return {tr_format("{} in block {}", name, kPair.from), {begin, begin + static_cast<long>(kLayout.block_stride())}};
  }

  Given<float> keys_{"keys", cache(0)}, values_{"values", cache(1000)};
  DeviceBuffer<BlockPair> pairs_{std::vector<BlockPair>{kPair}, "pairs"};
};

template <CopyBlocksRung rung>
Problem problem() {
  return {"one-pair", "3 slots of 16 numbers, block 12 to 5", [] { return std::make_unique<CopyOne<rung>>(); }};
}

}  // namespace

Kernel copy_blocks_demos() {
  return {"copy_blocks",
          "copy-on-write: the slots in use of one block go to another",
          {{"numbers", "one thread a number", {problem<CopyBlocksRung::numbers>()}},
           {"packs", "one thread 16 bytes", {problem<CopyBlocksRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
