#pragma once
// Writes the K and V of new tokens into the cache as codes of 8 or 4 bits (quantized_pack.cuh), with a scale for each
// head of each token beside them: store_kv for a cache of half or a quarter of the size.
//
//   rung      idea                                bytes moved a token           what to learn
//   thread    one thread a head: the largest      4 w s + 2 w c + 8 h + 8       a scale needs a pass of its own
//             size first, then the codes
//   packs     some lanes a head, 16 bytes each,   2 w s + 2 w c + 8 h + 8       the floor: what was read for the scale
//             the largest size by shuffles                                      stays in registers for the codes
//
// w: numbers of K (or V) a token, h: KV heads; s, c: bytes of a number before and after; 8 h: the scales, 8: the slot.

#include <cfloat>
#include <cstddef>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/kv_layout.h"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/kernels/quantized_pack.cuh"
#include "cuda/kernels/store_kv.cuh"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// K or V of new tokens, and where one layer keeps it.
template <typename T, typename Code>
struct QuantizedRows {
  gptr<const T> rows;  ///< [tokens][kv_heads][head_dim]
  gptr<Code> cache;    ///< [block][slot][kv_head][head_dim / numbers in a code]
  gptr<float> scales;  ///< [block][slot][kv_head]
};

template <typename T, typename Code>
struct QuantizeKv {
  QuantizedRows<T, Code> keys;
  QuantizedRows<T, Code> values;
  gptr<const long long> slots;  ///< [tokens] as for store_kv
  /// 0: each head of each token has its own scale. Above: the scale of all, and what it cannot hold saturates. For
  /// e4m3 only, which is precise enough to share a scale, and has a code for NaN.
  float fixed_scale = 0;
};

/// blockIdx: token, K or V. One thread a head.
template <typename T, typename Code>
__global__ void quantize_kv_thread(QuantizeKv<T, Code> data, KvLayout layout) {
  constexpr int kNumbers = CodeFormat<Code>::kNumbers;
  const long long slot = data.slots[blockIdx.x];
  if (slot == kNoSlot) return;
  const QuantizedRows<T, Code> side = blockIdx.y == 0 ? data.keys : data.values;
  const auto head_dim = static_cast<int>(layout.head_dim);
  for (unsigned head = threadIdx.x; head < layout.kv_heads; head += blockDim.x) {
    const gptr<const T> from = side.rows + layout.slot_offset(blockIdx.x) + std::size_t{head} * layout.head_dim;
    const std::size_t to = static_cast<std::size_t>(slot) * layout.kv_heads + head;
    float scale = data.fixed_scale;
    if (scale == 0) {
      float largest = 0;
      for (int i = 0; i < head_dim; ++i) largest = larger(fabsf(to_float(from[i])), largest);
      scale = scale_of<Code>(largest);
    }
    SIMT_SHOW("scale", scale);
    side.scales[to] = scale;
    const gptr<Code> codes = side.cache + to * (layout.head_dim / kNumbers);
    for (int i = 0; i < head_dim; i += kNumbers) {
      float numbers[kNumbers];
      for (int j = 0; j < kNumbers; ++j) numbers[j] = to_float(from[i + j]);
      codes[i / kNumbers] = quantize<Code>(numbers, scale).at[0];
    }
  }
}

/// The same; head_dim / Pack<T>::kCount lanes a head, a power of two.
template <typename T, typename Code>
__global__ void quantize_kv_packs(QuantizeKv<T, Code> data, KvLayout layout) {
  constexpr int kCount = Pack<T>::kCount;
  const long long slot = data.slots[blockIdx.x];
  if (slot == kNoSlot) return;
  const QuantizedRows<T, Code> side = blockIdx.y == 0 ? data.keys : data.values;
  const unsigned lanes = layout.head_dim / kCount, packs = layout.kv_heads * lanes;
  for (unsigned first = 0; first < packs; first += blockDim.x) {  // whole warps: all lanes meet in the shuffles
    const unsigned pack = first + threadIdx.x;
    float numbers[kCount] = {};
    float largest = 0;
    if (pack < packs) {
      const Pack<T> loaded = load_vec<Pack<T>>(side.rows + layout.slot_offset(blockIdx.x) + pack * kCount);
      SIMT_UNROLL
      for (int i = 0; i < kCount; ++i) {
        numbers[i] = to_float(loaded.at[i]);
        largest = larger(fabsf(numbers[i]), largest);
      }
    }
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
      largest = larger(__shfl_xor_sync(all_lanes<32>(), largest, static_cast<int>(distance)), largest);
    }
    if (pack >= packs) continue;
    const std::size_t to = static_cast<std::size_t>(slot) * layout.kv_heads + pack / lanes;
    const float scale = data.fixed_scale == 0 ? scale_of<Code>(largest) : data.fixed_scale;
    SIMT_SHOW("largest", largest);
    SIMT_SHOW("scale", scale);
    SIMT_PAUSE("scale");
    if (pack % lanes == 0) side.scales[to] = scale;
    const std::size_t code = (to * lanes + pack % lanes) * kCount / CodeFormat<Code>::kNumbers;
    store_vec(side.cache + code, quantize<Code>(numbers, scale));
  }
}

enum class QuantizeKvRung { thread, packs };

/// Whether rung packs can take heads of this size.
template <typename T>
constexpr bool fits_quantize_packs(unsigned head_dim) {
  const unsigned lanes = head_dim / Pack<T>::kCount;
  return lanes * Pack<T>::kCount == head_dim && lanes > 0 && lanes <= 32 && (lanes & (lanes - 1)) == 0;
}

/// MisuseError when a head is torn by a code or by the rung's lanes, or for a fixed scale that cannot be.
template <typename T, typename Code>
void quantize_kv(QuantizeKvRung rung, Stream& stream, const QuantizeKv<T, Code>& data, int tokens,
                 const KvLayout& layout) {
  if (layout.head_dim % CodeFormat<Code>::kNumbers != 0) {
    throw MisuseError("quantize_kv: a head of " + std::to_string(layout.head_dim) + " numbers is no whole number of " +
                      std::to_string(CodeFormat<Code>::kNumbers) + " in a code");
  }
  if (rung == QuantizeKvRung::packs && !fits_quantize_packs<T>(layout.head_dim)) {
    throw MisuseError("quantize_kv: packs take heads of 1, 2, 4, 8, 16 or 32 times " + std::to_string(Pack<T>::kCount) +
                      " numbers, not of " + std::to_string(layout.head_dim));
  }
  constexpr bool kMayBeFixed = std::is_same_v<Code, e4m3>;
  if (!(data.fixed_scale >= 0 && data.fixed_scale <= FLT_MAX) || (data.fixed_scale > 0 && !kMayBeFixed)) {
    throw MisuseError("quantize_kv: a fixed scale is above 0 and finite, and of e4m3, not " +
                      std::to_string(data.fixed_scale));
  }
  if (tokens == 0) return;
  const auto kernel = rung == QuantizeKvRung::thread ? quantize_kv_thread<T, Code> : quantize_kv_packs<T, Code>;
  launch(kernel, dim3(static_cast<unsigned>(tokens), 2), 128, 0, stream, data, layout);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
