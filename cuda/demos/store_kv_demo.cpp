#include "core/words/words.h"
#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/store_kv.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr KvLayout kLayout{4, 2, 16};
constexpr std::size_t kBlocks = 16;

/// Three tokens that go to the ends of three blocks: 7, 3 and 12.
template <StoreKvRung rung>
class StoreThree : public Instance {
 public:
  StoreThree() {
    const std::size_t tokens = slots_.size(), row = kLayout.token_stride() * sizeof(float);
    by_table = {"n 4 w s + 8 T", tokens * (4 * row + 8 * kThreads)};
    floor = {"n (4 w s + 8)", tokens * (4 * row + 8)};
    inputs = {keys_.input(), values_.input(), slots_.input()};
    paged = PagedTokens{kLayout.block_size, {31, 15, 48}, row, "key_cache", "value_cache"};
  }

  emulator::KernelLaunch launch() override {
    const StoreKv<float> data{keys_.ptr(), values_.ptr(), slots_.ptr(), key_cache_.ptr(), value_cache_.ptr()};
    const auto kernel = rung == StoreKvRung::numbers ? store_kv_numbers<float> : store_kv_packs<float>;
    return emulator::make_launch(kernel, static_cast<unsigned>(slots_.size()), kThreads, 0, data, kLayout);
  }
  std::vector<Output> outputs() const override {
    std::vector<Output> rows;
    for (std::size_t token = 0; token < slots_.size(); ++token) {
      std::vector<double> exact;
      for (std::size_t i = 0; i < kLayout.token_stride(); ++i)
        exact.push_back(keys_[token * kLayout.token_stride() + i]);
      const std::size_t slot = paged->slots[token];
      rows.push_back(written(tr_format("K in slot {}", slot), key_cache_, exact, 0, kLayout.slot_offset(slot)));
    }
    return rows;
  }

 private:
  static constexpr unsigned kThreads = rung == StoreKvRung::numbers ? 32 : 8;
  static std::vector<float> counted(float first) {
    std::vector<float> numbers;
    for (std::size_t i = 0; i < 3 * kLayout.token_stride(); ++i) numbers.push_back(first + static_cast<float>(i));
    return numbers;
  }

  Given<float> keys_{"new_keys", counted(0)}, values_{"new_values", counted(1000)};
  Given<long long> slots_{"slots", {31, 15, 48}};
  DeviceBuffer<float> key_cache_{kBlocks * kLayout.block_stride(), "key_cache"},
      value_cache_{kBlocks * kLayout.block_stride(), "value_cache"};
};

template <StoreKvRung rung>
Problem problem() {
  return {"three-tokens", "3 tokens, 2 KV heads of 16 numbers", [] { return std::make_unique<StoreThree<rung>>(); }};
}

}  // namespace

Kernel store_kv_demos() {
  return {"store_kv",
          "K and V of new tokens go to where the block table says",
          {{"numbers", "one thread a number", {problem<StoreKvRung::numbers>()}},
           {"packs", "one thread 16 bytes", {problem<StoreKvRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
