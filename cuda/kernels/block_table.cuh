#pragma once
// Where the tokens of a sequence lie in a paged cache (Kwon et al. 2023, section 4.1): its block table names one block
// after another, each with room for block_size tokens. For kernels that read the cache.

#include <cstddef>
#include <string>

#include "core/kv_layout.h"
#include "cuda/simt/kernel.h"

#if !SIMT_ON_DEVICE
#include "cuda/simt/emulator/fault.h"
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The tables of a batch of sequences.
struct BlockTables {
  gptr<const unsigned> blocks;  ///< [sequence][most_blocks]; entries behind a sequence's last token are not read
  unsigned most_blocks = 0;     ///< entries of each table
  unsigned num_blocks = 0;      ///< of the cache
};

/// K and V of one layer, and where each sequence's are.
template <typename T>
struct PagedKv {
  gptr<const T> keys;    ///< [block][slot][kv_head][dim]
  gptr<const T> values;  ///< the same
  KvLayout layout;
  BlockTables tables;
};

/// Entry `index` of a sequence's table. The emulator checks it, and names the sequence where it is wrong.
__device__ __forceinline__ unsigned block_at(const BlockTables& tables, unsigned sequence, unsigned index) {
#if !SIMT_ON_DEVICE
  if (index >= tables.most_blocks) {
    emulator::fault(emulator::FaultKind::bounds,
                    "sequence " + std::to_string(sequence) + " needs entry " + std::to_string(index) +
                        " of its block table, which has " + std::to_string(tables.most_blocks),
                    emulator::Site::current());
  }
#endif
  const unsigned block = tables.blocks[std::size_t{sequence} * tables.most_blocks + index];
#if !SIMT_ON_DEVICE
  if (block >= tables.num_blocks) {
    emulator::fault(emulator::FaultKind::bounds,
                    "entry " + std::to_string(index) + " of the block table of sequence " + std::to_string(sequence) +
                        " is block " + std::to_string(block) + "; the cache has " + std::to_string(tables.num_blocks),
                    emulator::Site::current());
  }
#endif
  return block;
}

/// In which slot of the cache the token at `position` of a sequence lies: block * block_size + slot in the block. 32
/// bits are enough: 2^32 slots of the narrowest heads would take 256 GiB.
__device__ __forceinline__ unsigned slot_of(const BlockTables& tables, unsigned block_size, unsigned sequence,
                                            unsigned position) {
  return block_at(tables, sequence, position / block_size) * block_size + position % block_size;
}

/// Where its K (and V) begin in the cache, for one head.
__device__ __forceinline__ std::size_t row_offset(const BlockTables& tables, const KvLayout& layout, unsigned sequence,
                                                  unsigned position, unsigned kv_head) {
  return layout.slot_offset(slot_of(tables, layout.block_size, sequence, position)) +
         std::size_t{kv_head} * layout.head_dim;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
