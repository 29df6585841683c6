#pragma once
// Copies blocks of the cache to others, in all layers: what copy-on-write asks for when a shared block is about to
// change.
//
//   rung     idea                 bytes moved a copy   what to learn
//   numbers  one thread a number  4 l n w s            the slots in use lie side by side: one run of n w numbers
//   packs    one thread 16 bytes  4 l n w s            the floor, in 16 / s times fewer requests
//
// l: layers, n: slots in use, w: numbers of K (or V) a token, s: bytes of a number; 4 = K and V, read and written.

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/kv_layout.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// One copy: of the first `tokens` slots.
struct BlockPair {
  unsigned from = 0;
  unsigned to = 0;
  unsigned tokens = 0;
};

/// The cache of all layers.
template <typename T>
struct CacheOfLayers {
  gptr<T> keys;    ///< [layer][block][slot][kv_head][dim]
  gptr<T> values;  ///< the same, or null: there are none, as with latent rows
  unsigned layers = 0;
  unsigned num_blocks = 0;
  KvLayout layout;
};

/// blockIdx: pair, layer, K or V. One thread a number.
template <typename T>
__global__ void copy_blocks_numbers(CacheOfLayers<T> cache, gptr<const BlockPair> pairs) {
  const BlockPair pair = pairs[blockIdx.x];
  const gptr<T> buffer = blockIdx.z == 0 ? cache.keys : cache.values;
  const std::size_t first_block = std::size_t{blockIdx.y} * cache.num_blocks;
  const std::size_t from = cache.layout.offset(first_block + pair.from, 0, 0, 0);
  const std::size_t to = cache.layout.offset(first_block + pair.to, 0, 0, 0);
  const std::size_t count = pair.tokens * cache.layout.token_stride();
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) buffer[to + i] = buffer[from + i];
}

/// The same, 16 bytes at a time.
template <typename T>
__global__ void copy_blocks_packs(CacheOfLayers<T> cache, gptr<const BlockPair> pairs) {
  const BlockPair pair = pairs[blockIdx.x];
  const gptr<T> buffer = blockIdx.z == 0 ? cache.keys : cache.values;
  const std::size_t first_block = std::size_t{blockIdx.y} * cache.num_blocks;
  const std::size_t from = cache.layout.offset(first_block + pair.from, 0, 0, 0);
  const std::size_t to = cache.layout.offset(first_block + pair.to, 0, 0, 0);
  const std::size_t count = pair.tokens * cache.layout.token_stride();
  for (std::size_t i = threadIdx.x * Pack<T>::kCount; i < count; i += blockDim.x * Pack<T>::kCount) {
    store_vec(buffer + (to + i), load_vec<Pack<T>>(buffer + (from + i)));
  }
}

/// How many pairs from `first` on can be copied at the same time: none of them writes what another reads or writes.
inline std::size_t independent_pairs(const std::vector<BlockPair>& pairs, std::size_t first) {
  for (std::size_t end = first; end < pairs.size(); ++end) {
    for (std::size_t i = first; i < end; ++i) {
      if (pairs[end].to == pairs[i].to || pairs[end].to == pairs[i].from || pairs[end].from == pairs[i].to) {
        return end - first;
      }
    }
  }
  return pairs.size() - first;
}

enum class CopyBlocksRung { numbers, packs };

/// Copies in the order of the list; pairs that do not touch each other at the same time. `on_device` is room for the
/// list and must stay until the stream has come by. MisuseError for a block or a slot that does not exist, or when a
/// token's numbers are no multiple of 16 bytes and the rung needs that.
template <typename T>
void copy_blocks(CopyBlocksRung rung, Stream& stream, const CacheOfLayers<T>& cache,
                 const std::vector<BlockPair>& pairs, DeviceBuffer<BlockPair>& on_device) {
  if (pairs.empty()) return;
  if (rung == CopyBlocksRung::packs && !fits_packs<T>(cache.layout.token_stride())) {
    throw MisuseError("copy_blocks: packs take a multiple of " + std::to_string(Pack<T>::kCount) +
                      " numbers a token, not " + std::to_string(cache.layout.token_stride()));
  }
  for (const BlockPair& pair : pairs) {
    if (pair.from < cache.num_blocks && pair.to < cache.num_blocks && pair.tokens <= cache.layout.block_size) continue;
    throw MisuseError("copy_blocks: cannot copy " + std::to_string(pair.tokens) + " slots of block " +
                      std::to_string(pair.from) + " to block " + std::to_string(pair.to) + ": there are " +
                      std::to_string(cache.num_blocks) + " blocks of " + std::to_string(cache.layout.block_size));
  }
  on_device.upload(pairs.data(), pairs.size());
  constexpr unsigned kThreads = 128;
  const auto kernel = rung == CopyBlocksRung::numbers ? copy_blocks_numbers<T> : copy_blocks_packs<T>;
  for (std::size_t first = 0; first < pairs.size();) {
    const std::size_t count = independent_pairs(pairs, first);
    launch(kernel, dim3(static_cast<unsigned>(count), cache.layers, cache.values == nullptr ? 1 : 2), kThreads, 0,
           stream, cache, on_device.ptr() + first);
    first += count;
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
