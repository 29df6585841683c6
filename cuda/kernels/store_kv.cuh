#pragma once
// Writes the K and V of new tokens to where the block tables say ("reshape and cache" in vLLM).
//
//   rung     idea                         bytes moved a token   what to learn
//   numbers  one thread a number          4 w s + 8             the layout; threads of a warp write side by side
//   packs    one thread 16 bytes          4 w s + 8             the same bytes in 16 / s times fewer requests
//
// w: numbers of K (or V) a token, kv_heads * head_dim; s: bytes of a number; 4 = K and V, read and written. There is no
// lower floor: nothing is reused. A latent cache keeps one row a token, which stands where K would, and no V: half.

#include <string>

#include "core/error.h"
#include "core/kv_layout.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Marks a token that is only there to fill the batch: nothing is written for it.
inline constexpr long long kNoSlot = -1;

/// K and V of new tokens, and the cache of one layer.
template <typename T>
struct StoreKv {
  gptr<const T> keys;           ///< [tokens][kv_heads][head_dim]
  gptr<const T> values;         ///< the same, or null: there are none
  gptr<const long long> slots;  ///< [tokens] block * block_size + slot in the block, or kNoSlot
  gptr<T> key_cache;            ///< [block][slot][kv_head][dim]
  gptr<T> value_cache;          ///< the same
};

/// One thread a number; blockIdx.x: token.
template <typename T>
__global__ void store_kv_numbers(StoreKv<T> data, KvLayout layout) {
  const long long slot = data.slots[blockIdx.x];
  if (slot == kNoSlot) return;
  const auto width = static_cast<long long>(layout.token_stride());
  const long long from = static_cast<long long>(blockIdx.x) * width;
  const auto to = static_cast<long long>(layout.slot_offset(static_cast<std::size_t>(slot)));
  for (long long i = threadIdx.x; i < width; i += blockDim.x) {
    data.key_cache[to + i] = data.keys[from + i];
    if (data.values != nullptr) data.value_cache[to + i] = data.values[from + i];
  }
}

/// One thread 16 bytes at a time; blockIdx.x: token.
template <typename T>
__global__ void store_kv_packs(StoreKv<T> data, KvLayout layout) {
  const long long slot = data.slots[blockIdx.x];
  if (slot == kNoSlot) return;
  const auto width = static_cast<long long>(layout.token_stride());
  const long long from = static_cast<long long>(blockIdx.x) * width;
  const auto to = static_cast<long long>(layout.slot_offset(static_cast<std::size_t>(slot)));
  for (long long i = threadIdx.x * Pack<T>::kCount; i < width; i += blockDim.x * Pack<T>::kCount) {
    store_vec(data.key_cache + (to + i), load_vec<Pack<T>>(data.keys + (from + i)));
    if (data.values == nullptr) continue;
    store_vec(data.value_cache + (to + i), load_vec<Pack<T>>(data.values + (from + i)));
  }
}

enum class StoreKvRung { numbers, packs };

/// MisuseError when a token's numbers are no multiple of 16 bytes and the rung needs that.
template <typename T>
void store_kv(StoreKvRung rung, Stream& stream, const StoreKv<T>& data, int tokens, const KvLayout& layout) {
  if (tokens == 0) return;
  constexpr unsigned kThreads = 128;
  const auto num_tokens = static_cast<unsigned>(tokens);
  if (rung == StoreKvRung::numbers) {
    launch(store_kv_numbers<T>, num_tokens, kThreads, 0, stream, data, layout);
    return;
  }
  if (!fits_packs<T>(layout.token_stride())) {
    throw MisuseError("store_kv: packs take a multiple of " + std::to_string(Pack<T>::kCount) +
                      " numbers a token, not " + std::to_string(layout.token_stride()));
  }
  launch(store_kv_packs<T>, num_tokens, kThreads, 0, stream, data, layout);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
