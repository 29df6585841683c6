#pragma once
// The only place that knows where one number of K or V lies in the pool. CPU, kernels and panels share it.

#include <cstddef>
#include <cstdint>

#include "core/model_shape.h"

#if defined(__CUDACC__)
#define KVARIUM_HD __host__ __device__
#else
#define KVARIUM_HD
#endif

namespace kvarium {

/// [block][slot][kv_head][dim], row-major: one token's K for all KV heads is contiguous.
/// Offsets are std::size_t: with block_size 16, 8 heads and head_dim 128 a 32-bit offset of the joint K and V buffer
/// overflows at block 65,536.
struct KvLayout {
  std::uint32_t block_size = 0;  ///< tokens a block
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;

  KVARIUM_HD constexpr std::size_t token_stride() const { return std::size_t{kv_heads} * head_dim; }
  KVARIUM_HD constexpr std::size_t block_stride() const { return std::size_t{block_size} * token_stride(); }
  KVARIUM_HD constexpr std::size_t offset(std::size_t block, std::size_t slot, std::size_t kv_head,
                                          std::size_t dim) const {
    return ((block * block_size + slot) * kv_heads + kv_head) * head_dim + dim;
  }
  /// The first number of a slot that is counted through all blocks: block * block_size + slot in the block.
  KVARIUM_HD constexpr std::size_t slot_offset(std::size_t slot) const { return slot * token_stride(); }
};

/// The layout of K, and of V where there is a V. A latent row (see key_row_width()) lies there like the K of one head.
inline KvLayout kv_layout(const ModelShape& shape, std::uint32_t block_size) {
  if (shape.kv_kind == KvKind::latent) return {block_size, 1, shape.latent_dim + shape.rotary_key_dim};
  return {block_size, shape.kv_heads, shape.head_dim};
}

}  // namespace kvarium
