#pragma once
// Turns blocks of keys into codes, each number sharing its scale with the same channel of the block's other tokens
// (KIVI: Liu et al. 2024, section 3). A few channels of keys are far larger than the others, in every token: a scale a
// token (quantize_kv.cuh) is made for them and leaves the others few codes. Values have no such channels. A scale is
// known when the last token of the block is there, so keys stay as they are until their block is full.
//
//   rung    idea                                 bytes moved a block     what to learn
//   thread  one thread a channel (two of 4 bits) 2 n w s + n w c + 4 w   neighbours read neighbours, although each
//           walks down its tokens: the largest                           goes down a column
//           size first, then the codes
//   shared  a head of the block comes into       n w s + n w c + 4 w     the floor: shared memory turns rows, 16 bytes
//           shared memory, and is walked there                           a thread, into columns
//
// n: tokens of the block, w: numbers of K a token, s, c: bytes of a number before and after, 4 w: the scales. To this
// come 12 bytes of the list in each thread. Codes and scales as in quantized_pack.cuh; KIVI's own have an offset too.
// No attention reads such blocks yet: attention_decode_quantized.cuh takes a scale a token.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/kernels/quantized_pack.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr unsigned kQuantizeKeysThreads = 128;

/// The keys of one layer, and where their codes go.
template <typename T, typename Code>
struct QuantizeKeys {
  gptr<const T> keys;       ///< [block][slot][kv_head][head_dim]
  gptr<Code> codes;         ///< [code block][slot][kv_head][head_dim / numbers in a code]
  gptr<float> scales;       ///< [code block][kv_head][head_dim]
  unsigned num_blocks = 0;  ///< of keys
  unsigned num_code_blocks = 0;
  KvLayout layout;
};

/// Writes codes and scales of one head of a block; number(slot, channel) says what is there. Each thread has the
/// channels of one code, and then those of another.
template <typename T, typename Code, typename Number>
__device__ __forceinline__ void quantize_channels(const QuantizeKeys<T, Code>& data, const BlockPair& block,
                                                  const Number& number) {
  constexpr int kNumbers = CodeFormat<Code>::kNumbers;
  const KvLayout& layout = data.layout;
  for (unsigned channel = threadIdx.x * kNumbers; channel < layout.head_dim; channel += blockDim.x * kNumbers) {
    float scales[kNumbers];
    SIMT_UNROLL
    for (int i = 0; i < kNumbers; ++i) {
      float largest = 0;
      for (unsigned slot = 0; slot < block.tokens; ++slot) {
        largest = larger(fabsf(number(slot, channel + static_cast<unsigned>(i))), largest);
      }
      scales[i] = scale_of<Code>(largest);
      data.scales[(std::size_t{block.to} * layout.kv_heads + blockIdx.y) * layout.head_dim + channel +
                  static_cast<unsigned>(i)] = scales[i];
    }
    for (unsigned slot = 0; slot < block.tokens; ++slot) {
      float scaled[kNumbers];
      SIMT_UNROLL
      for (int i = 0; i < kNumbers; ++i) {
        scaled[i] = divided(number(slot, channel + static_cast<unsigned>(i)), scales[i]);
      }
      Code code;
      encode(scaled, code);
      data.codes[layout.offset(block.to, slot, blockIdx.y, channel) / kNumbers] = code;
    }
  }
}

/// blockIdx: place in the list, head; here as in the other rung.
template <typename T, typename Code>
__global__ void quantize_keys_thread(QuantizeKeys<T, Code> data, gptr<const BlockPair> blocks) {
  const BlockPair block = blocks[blockIdx.x];
  quantize_channels(data, block, [&](unsigned slot, unsigned channel) {
    return to_float(data.keys[data.layout.offset(block.from, slot, blockIdx.y, channel)]);
  });
}

/// Shared memory: [block_size][head_dim]. head_dim: a multiple of Pack<T>::kCount.
template <typename T, typename Code>
__global__ void quantize_keys_shared(QuantizeKeys<T, Code> data, gptr<const BlockPair> blocks) {
  SIMT_DYNAMIC_SHARED(T, tile);
  constexpr unsigned kCount = Pack<T>::kCount;
  const BlockPair block = blocks[blockIdx.x];
  const unsigned head_dim = data.layout.head_dim;
  for (unsigned i = threadIdx.x * kCount; i < block.tokens * head_dim; i += blockDim.x * kCount) {
    const std::size_t from = data.layout.offset(block.from, i / head_dim, blockIdx.y, i % head_dim);
    store_vec(tile + i, load_vec<Pack<T>>(data.keys + from));
  }
  __syncthreads();
  quantize_channels(data, block, [&](unsigned slot, unsigned channel) {
    return to_float(static_cast<T>(tile[slot * head_dim + channel]));
  });
}

enum class QuantizeKeysRung { thread, shared };

/// Whether rung shared can take a block.
template <typename T>
constexpr bool fits_quantize_keys_shared(const KvLayout& layout) {
  return layout.head_dim % Pack<T>::kCount == 0 &&
         std::size_t{layout.block_size} * layout.head_dim * sizeof(T) <= 49152;
}

/// MisuseError for a block or a slot that does not exist, a block of codes that is named twice, a head that is torn by
/// a code, or one that the rung cannot take.
template <typename T, typename Code>
void expect_fits(QuantizeKeysRung rung, const QuantizeKeys<T, Code>& data, const std::vector<BlockPair>& blocks) {
  const KvLayout& layout = data.layout;
  if (layout.head_dim % CodeFormat<Code>::kNumbers != 0) {
    throw MisuseError("quantize_keys: a head of " + std::to_string(layout.head_dim) +
                      " numbers is no whole number of " + std::to_string(CodeFormat<Code>::kNumbers) + " in a code");
  }
  if (rung == QuantizeKeysRung::shared && !fits_quantize_keys_shared<T>(layout)) {
    throw MisuseError("quantize_keys: rung shared takes heads of a multiple of " + std::to_string(Pack<T>::kCount) +
                      " numbers, 48 KiB a block at most, not " + std::to_string(layout.block_size) + " tokens of " +
                      std::to_string(layout.head_dim));
  }
  std::set<unsigned> written;
  for (const BlockPair& block : blocks) {
    if (!written.insert(block.to).second) {
      throw MisuseError("quantize_keys: two blocks of keys go to block " + std::to_string(block.to) + " of codes");
    }
    if (block.from < data.num_blocks && block.to < data.num_code_blocks && block.tokens <= layout.block_size) continue;
    throw MisuseError("quantize_keys: cannot quantize " + std::to_string(block.tokens) + " slots of block " +
                      std::to_string(block.from) + " to block " + std::to_string(block.to) + ": there are " +
                      std::to_string(data.num_blocks) + " and " + std::to_string(data.num_code_blocks) + " blocks of " +
                      std::to_string(layout.block_size));
  }
}

/// The first `tokens` slots of each block in the list. `on_device` is room for the
/// list and must stay until the stream has come by. Errors as expect_fits().
template <typename T, typename Code>
void quantize_keys(QuantizeKeysRung rung, Stream& stream, const QuantizeKeys<T, Code>& data,
                   const std::vector<BlockPair>& blocks, DeviceBuffer<BlockPair>& on_device) {
  expect_fits(rung, data, blocks);
  if (blocks.empty()) return;
  on_device.upload(blocks.data(), blocks.size());
  const dim3 grid(static_cast<unsigned>(blocks.size()), data.layout.kv_heads);
  const gptr<const BlockPair> list = on_device.ptr();
  if (rung == QuantizeKeysRung::thread) {
    launch(quantize_keys_thread<T, Code>, grid, kQuantizeKeysThreads, 0, stream, data, list);
  } else {
    launch(quantize_keys_shared<T, Code>, grid, kQuantizeKeysThreads,
           std::size_t{data.layout.block_size} * data.layout.head_dim * sizeof(T), stream, data, list);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
