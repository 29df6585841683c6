#pragma once
// The metadata of a paged KV cache: which blocks are free, how many tables hold each of the others. No tensors here:
// those are in a PagedKvStore, indexed by the same BlockId. (vLLM: BlockPool; SGLang: the page allocator.)

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/free_queue.h"
#include "core/ids.h"
#include "core/trace/event_sink.h"

namespace kvarium {

/// Blocks 0, 1, ..., num_blocks - 1: what a fresh pool hands out when nobody scrambles it.
std::vector<BlockId> ascending_order(std::uint32_t num_blocks);
/// The same blocks shuffled (the same seed gives the same order on every machine), so that a picture shows that
/// logical and physical order have nothing to do with each other.
std::vector<BlockId> scrambled_order(std::uint32_t num_blocks, std::uint64_t seed);

/// Invariant: a block is in the free queue if and only if its ref count is 0.
class BlockPool {
 public:
  /// Announces PoolCreated. Throws InputError when block_size or the number of blocks is 0, MisuseError when
  /// `hand_out_order` is not each of 0..n-1 once.
  BlockPool(std::uint32_t block_size, std::vector<BlockId> hand_out_order, EventSink& sink);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  std::uint32_t block_size() const { return block_size_; }
  std::size_t num_blocks() const { return ref_counts_.size(); }
  std::size_t num_free() const { return free_.size(); }
  std::uint32_t ref_count(BlockId block) const;  ///< MisuseError: there is no such block

  /// The head of the free queue, now with ref count 1; nothing when the pool is empty: the caller decides whether to
  /// wait, evict or preempt. The block becomes the last entry of the request's table.
  std::optional<BlockId> allocate(RequestId request);
  /// One more table holds the block. MisuseError when nobody holds it.
  void share(RequestId request, BlockId block);
  /// One table fewer holds the block; with the last one it joins the tail of the free queue. MisuseError, state
  /// untouched, when nobody holds it (a double free).
  void release(RequestId request, BlockId block);

  /// Where the pool and its tables announce what they do.
  EventSink& sink() const { return sink_; }
  /// "free 1 2 3 | used 0x2": free blocks in hand-out order, then used blocks in id order with their ref counts.
  std::string show() const;

 private:
  std::uint32_t block_size_;
  std::vector<std::uint32_t> ref_counts_;
  FreeQueue free_;
  EventSink& sink_;
};

}  // namespace kvarium
