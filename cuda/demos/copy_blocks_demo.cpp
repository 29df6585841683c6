#include "core/words/words.h"
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
    by_table = {"4 l n w s + 12 t", 4 * bytes + 2 * kThreads * sizeof(BlockPair)};
    floor = {"4 l n w s + 12", 4 * bytes + sizeof(BlockPair)};
  }

  emulator::KernelLaunch launch() override {
    const CacheOfLayers<float> cache{keys_.ptr(), values_.ptr(), 1, kBlocks, kLayout};
    const auto kernel = rung == CopyBlocksRung::numbers ? copy_blocks_numbers<float> : copy_blocks_packs<float>;
    return emulator::make_launch(kernel, dim3(1, 1, 2), kThreads, 0, cache, pairs_.ptr());
  }
  std::vector<Output> outputs() const override {
    Output block{tr_format("K in block {}", kPair.to), std::vector<float>(kLayout.block_stride())};
    keys_.download(block.numbers.data(), block.numbers.size(), kLayout.offset(kPair.to, 0, 0, 0));
    return {std::move(block)};
  }

 private:
  static constexpr unsigned kThreads = rung == CopyBlocksRung::numbers ? 32 : 8;

  /// Only the block that is copied holds something.
  static DeviceBuffer<float> cache_of(const char* name, float first) {
    DeviceBuffer<float> cache(kBlocks * kLayout.block_stride(), name);
    std::vector<float> numbers;
    for (std::size_t i = 0; i < kLayout.block_stride(); ++i) numbers.push_back(first + static_cast<float>(i));
    cache.upload(numbers.data(), numbers.size(), kLayout.offset(kPair.from, 0, 0, 0));
    return cache;
  }

  DeviceBuffer<float> keys_ = cache_of("keys", 0), values_ = cache_of("values", 1000);
  DeviceBuffer<BlockPair> pairs_{std::vector<BlockPair>{kPair}, "pairs"};
};

template <CopyBlocksRung rung>
Problem problem() {
  return {"one-pair", "3 slots of block 12 to block 5, 16 numbers each",
          [] { return std::make_unique<CopyOne<rung>>(); }};
}

}  // namespace

Kernel copy_blocks_demos() {
  return {"copy_blocks",
          "copy-on-write: the slots in use of one block go to another",
          {{"numbers", "one thread a number", {problem<CopyBlocksRung::numbers>()}},
           {"packs", "one thread 16 bytes", {problem<CopyBlocksRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
