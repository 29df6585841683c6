#pragma once
// quantize_keys on random blocks, and what must come back of them: for the emulated tests and for those on a device.

#include <cmath>
#include <vector>

#include "cuda/kernels/quantize_keys.cuh"
#include "tests/cuda/kernels/quantize_kv_problem.h"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

/// numbers[i] = what the codes say with the scales of their channels; one thread a code.
template <typename Code>
__global__ void dequantize_keys(gptr<const Code> codes, gptr<const float> scales, gptr<float> numbers, KvLayout layout,
                                int count) {
  constexpr int kNumbers = CodeFormat<Code>::kNumbers;
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kNumbers;
  if (first >= count) return;
  const Code code = codes[first / kNumbers];
  const std::size_t in_block = static_cast<std::size_t>(first) % layout.block_stride();
  const std::size_t scale = static_cast<std::size_t>(first) / layout.block_stride() * layout.token_stride() +
                            in_block % layout.token_stride();
  for (int i = 0; i < kNumbers; ++i) {
    numbers[first + i] = decoded(code, i) * scales[scale + static_cast<std::size_t>(i)];
  }
}

/// Some of four blocks of keys go to some of three blocks of codes.
template <typename T, typename Code>
struct QuantizeKeysProblem {
  static constexpr unsigned kBlocks = 4, kCodeBlocks = 3;

  QuantizeKeysProblem(const KvLayout& cache_layout, std::vector<BlockPair> list)
      : layout(cache_layout), blocks(std::move(list)), keys(random_numbers<T>(kBlocks * layout.block_stride(), 1)) {}

  DequantizedCache run(QuantizeKeysRung rung) const {
    const std::size_t count = kCodeBlocks * layout.block_stride();
    const DeviceBuffer<T> keys_device(keys, "keys");
    DeviceBuffer<Code> codes(std::vector<Code>(count / CodeFormat<Code>::kNumbers), "codes");
    DeviceBuffer<float> scales(std::vector<float>(kCodeBlocks * layout.token_stride()), "scales"), back(count, "back");
    DeviceBuffer<BlockPair> room(blocks.size(), "blocks");
    Stream stream;
    quantize_keys<T, Code>(rung, stream, {keys_device.ptr(), codes.ptr(), scales.ptr(), kBlocks, kCodeBlocks, layout},
                           blocks, room);
    launch(dequantize_keys<Code>, static_cast<unsigned>(count + 127) / 128, 128, 0, stream, codes.ptr(), scales.ptr(),
           back.ptr(), layout, static_cast<int>(count));
    stream.synchronize();
    return {scales.download(), back.download()};
  }

  /// Channels of blocks with a wrong scale, or with a number that is not within rounding; what no block of the list
  /// has is 0.
  int num_wrong(QuantizeKeysRung rung) const {
    const DequantizedCache got = run(rung);
    int wrong = 0;
    for (std::size_t channel = 0; channel < got.scales.size(); ++channel) {
      const std::size_t to = channel / layout.token_stride(), column = channel % layout.token_stride();
      BlockPair source;
      for (const BlockPair& block : blocks) source = block.to == to ? block : source;
      wrong += is_right(source, to, column, got) ? 0 : 1;
    }
    return wrong;
  }

  bool is_right(const BlockPair& source, std::size_t to, std::size_t column, const DequantizedCache& got) const {
    const auto at = [&](std::size_t block, std::size_t slot) {
      return block * layout.block_stride() + slot * layout.token_stride() + column;
    };
    float largest = 0;
    for (std::size_t slot = 0; slot < source.tokens; ++slot) {
      largest = std::fmax(largest, std::fabs(to_float(keys[at(source.from, slot)])));
    }
    const float scale = got.scales[to * layout.token_stride() + column];
    if (scale != largest / CodeFormat<Code>::kLargest) return false;
    for (std::size_t slot = 0; slot < layout.block_size; ++slot) {
      const double wanted = slot < source.tokens ? as_double(keys[at(source.from, slot)]) : 0;
      const double off = std::fabs(static_cast<double>(got.numbers[at(to, slot)]) - wanted);
      if (!(off <= QuantizeKvProblem<T, Code>::rounding(wanted, static_cast<double>(scale)))) return false;
    }
    return true;
  }

  KvLayout layout;
  std::vector<BlockPair> blocks;
  std::vector<T> keys;  ///< [block][slot][kv_head][head_dim]
};

}  // namespace kvarium_test
