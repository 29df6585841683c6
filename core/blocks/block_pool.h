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

/// Who remembers what is in free blocks: a prefix cache.
class BlockKeeper {
 public:
  BlockKeeper() = default;
  BlockKeeper(const BlockKeeper&) = delete;
  BlockKeeper& operator=(const BlockKeeper&) = delete;
  virtual ~BlockKeeper() = default;

  /// `head`, at the head of the free queue, would be handed out next: that one, or another free block before it?
  virtual BlockId next(BlockId head) const { return head; }
  /// The block is about to be handed out to the request and overwritten.
  virtual void forget(RequestId request, BlockId block) = 0;
  /// Nobody holds the block any more. Is it handed out before all others (true), or after them (false)?
  virtual bool rests(BlockId block) = 0;
  /// Somebody took the free block back, for what is in it.
  virtual void wakes(BlockId block) = 0;
};

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
  /// One more table holds the block, whether or not others do: out of the free queue, from wherever it stands, or
  /// shared. For a block whose content the request needs.
  void touch(RequestId request, BlockId block);
  /// One table fewer holds the block; with the last one it joins the tail of the free queue. MisuseError, state
  /// untouched, when nobody holds it (a double free).
  void release(RequestId request, BlockId block);

  // For changes that one event of another kind announces as a whole: a fork, a copy, a node of the radix tree.
  /// One reference more. MisuseError when the block is free.
  void retain(BlockId block);
  /// One reference less; at 0 the block joins the tail of the free queue. MisuseError when the block is free.
  void let_go(BlockId block);
  /// As allocate(), but only evictions are announced.
  std::optional<BlockId> take(RequestId request);

  /// The free block is handed out next, from wherever it stood: what was in it is no longer wanted. The caller
  /// announces it: BlockEvicted. MisuseError when it is not free.
  void bring_to_head(BlockId block);

  /// Releases the last entries of the table until `kept` are left, last first. Those that the keeper sends to the head
  /// of the free queue keep this order there. MisuseError as for release(); what was released before stays so.
  void release_from(RequestId request, std::vector<BlockId>& table, std::size_t kept);
  /// From now on `keeper` is told and asked; nullptr: nobody, and all blocks return to the tail. It must outlive the
  /// pool or take its leave.
  void set_keeper(BlockKeeper* keeper) { keeper_ = keeper; }

  /// Where the pool and its tables announce what they do.
  EventSink& sink() const { return sink_; }
  /// "free 1 2 3 | used 0x2": free blocks in hand-out order, then used blocks in id order with their ref counts.
  std::string show() const;

 private:
  QueuePlace put_back(RequestId request, BlockId block, QueuePlace at_head);

  std::uint32_t block_size_;
  std::vector<std::uint32_t> ref_counts_;
  FreeQueue free_;
  EventSink& sink_;
  BlockKeeper* keeper_ = nullptr;
};

}  // namespace kvarium
