#pragma once
// A warp looks up the keys of a chunk at once, a lane each, and hands out what it found by shuffles: one entry of the
// table a key, and no division of a position in the loop over the keys.

#include "cuda/kernels/decode_call.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr unsigned kDecodeChunk = 32;     ///< keys that a warp looks up at once
inline constexpr unsigned kNoRow = 0xFFFFFFFFU;  ///< of K and V: there is no such key

/// The rows of a chunk: lane i finds the one of key first + i, counted through all slots and heads of the cache.
template <typename Kv>
__device__ __forceinline__ unsigned find_row(const Kv& kv, const TokensSeen& seen, unsigned first, unsigned kv_head) {
  const unsigned position = first + threadIdx.x % 32;
  if (position >= seen.end) return kNoRow;
  return slot_of(kv.tables, kv.layout.block_size, seen.sequence, position) * kv.layout.kv_heads + kv_head;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
