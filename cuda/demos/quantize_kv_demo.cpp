#include "core/words/words.h"
#include "cuda/demos/given.h"
#include "cuda/demos/list.h"
#include "cuda/kernels/quantize_kv.cuh"
#include "cuda/simt/emulator/launch.h"

namespace kvarium::cuda::demos {
namespace {

constexpr KvLayout kLayout{4, 2, 16};
constexpr std::size_t kBlocks = 16, kSlots = kBlocks * kLayout.block_size;

/// Three tokens that go to the ends of three blocks, as whole numbers of 8 bits with a scale a head.
template <QuantizeKvRung rung>
class QuantizeThree : public Instance {
 public:
  QuantizeThree() {
    const std::size_t width = kLayout.token_stride(), s = sizeof(float), tokens = slots_.size();
    const std::size_t shared = 2 * width + std::size_t{8} * kLayout.kv_heads;
    const std::size_t passes = rung == QuantizeKvRung::thread ? 4 : 2;
    by_table = {rung == QuantizeKvRung::thread ? "n (4 w s + 2 w c + 8 h) + 8 T" : "n (2 w s + 2 w c + 8 h) + 8 T",
                tokens * (passes * width * s + shared + 16 * kThreads)};
    floor = {"n (2 w s + 2 w c + 8 h + 8)", tokens * (2 * width * s + shared + 8)};
    inputs = {keys_.input(), values_.input(), slots_.input()};
    paged = PagedTokens{kLayout.block_size, {31, 15, 48}, width * sizeof(i8), "key_cache", "value_cache"};
  }

  emulator::KernelLaunch launch() override {
    const QuantizeKv<float, i8> data{{keys_.ptr(), key_cache_.ptr(), key_scales_.ptr()},
                                     {values_.ptr(), value_cache_.ptr(), value_scales_.ptr()},
                                     slots_.ptr()};
    const auto kernel = rung == QuantizeKvRung::thread ? quantize_kv_thread<float, i8> : quantize_kv_packs<float, i8>;
    return emulator::make_launch(kernel, dim3(static_cast<unsigned>(slots_.size()), 2), kThreads, 0, data, kLayout);
  }
  std::vector<Output> outputs() const override {
    std::vector<Output> rows;
    for (std::size_t token = 0; token < slots_.size(); ++token) rows.push_back(stored_keys(token));
    return rows;
  }

 private:
  static constexpr unsigned kThreads = rung == QuantizeKvRung::thread ? kLayout.kv_heads : 32;

  /// K of a token, code * scale. A code is the nearest whole number: off by half a scale, 1.5 / 127 at most.
  Output stored_keys(std::size_t token) const {
    const std::size_t width = kLayout.token_stride(), slot = paged->slots[token];
    Output row{tr_format("K in slot {}: code * scale", slot), {}, {}, 1.5 / 127 * 0.5 + 0x1p-22};
    std::vector<i8> codes(width);
    std::vector<float> scales(kLayout.kv_heads);
    key_cache_.download(codes.data(), width, kLayout.slot_offset(slot));
    key_scales_.download(scales.data(), scales.size(), slot * kLayout.kv_heads);
    for (std::size_t i = 0; i < width; ++i) {
      row.numbers.push_back(static_cast<float>(codes[i].bits) * scales[i / kLayout.head_dim]);
      row.exact.push_back(keys_[token * width + i]);
    }
    return row;
  }

  Given<float> keys_{"new_keys", small_numbers(3 * kLayout.token_stride(), 5)},
      values_{"new_values", small_numbers(3 * kLayout.token_stride(), 7)};
  Given<long long> slots_{"slots", {31, 15, 48}};
  DeviceBuffer<i8> key_cache_{kSlots * kLayout.token_stride(), "key_cache"},
      value_cache_{kSlots * kLayout.token_stride(), "value_cache"};
  DeviceBuffer<float> key_scales_{kSlots * kLayout.kv_heads, "key_scales"},
      value_scales_{kSlots * kLayout.kv_heads, "value_scales"};
};

template <QuantizeKvRung rung>
Problem problem() {
  return {"three-tokens", "3 tokens, 2 KV heads of 16, to 8 bits",
          [] { return std::make_unique<QuantizeThree<rung>>(); }};
}

}  // namespace

Kernel quantize_kv_demos() {
  return {"quantize_kv",
          "K and V of new tokens as small codes that share a scale",
          {{"thread", "one thread a head", {problem<QuantizeKvRung::thread>()}},
           {"packs", "some lanes a head, 16 bytes each", {problem<QuantizeKvRung::packs>()}}}};
}

}  // namespace kvarium::cuda::demos
