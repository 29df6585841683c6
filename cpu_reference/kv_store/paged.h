#pragma once
// The tensors of a paged cache (Kwon et al. 2023, section 4.1): blocks of block_size tokens, in any order, shared by
// all sequences. Which block belongs to whom is the BlockPool's and the BlockTable's business; here a BlockId is only
// a place.

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/kv_layout.h"
#include "core/model_shape.h"
#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/kv_store/kv_sequence.h"

namespace kvarium::cpu {

/// K and V each [layer][block][slot][kv_head][dim]. With latent attention the one row of a token lies where K would,
/// and there is no V.
class PagedKvStore {
 public:
  /// InputError for a size of 0 or for more than fits in memory.
  PagedKvStore(const ModelShape& shape, std::uint32_t num_blocks, std::uint32_t block_size);

  std::uint32_t num_blocks() const { return num_blocks_; }
  std::uint32_t block_size() const { return layout_.block_size; }  ///< tokens
  std::uint32_t layers() const { return layers_; }
  std::size_t row_width() const { return layout_.token_stride(); }                              ///< of K
  std::size_t value_width() const { return values_.size() == 0 ? 0 : layout_.token_stride(); }  ///< of V
  std::uint64_t block_bytes() const { return bytes() / num_blocks_; }
  std::uint64_t bytes() const { return (keys_.size() + values_.size()) * sizeof(float); }

  /// The rows of a block from `slot` on. MisuseError when there is no such layer, block or slot.
  KvRow row(std::uint32_t layer, BlockId block, std::uint32_t slot);
  KvRun block(std::uint32_t layer, BlockId block) const;
  /// The first `tokens` slots of `from`, in all layers, go to `to`. MisuseError when there is no such block or slot.
  void copy(BlockId from, BlockId to, std::uint32_t tokens);
  /// MisuseError where copy() would throw one.
  void expect_can_copy(BlockId from, BlockId to, std::uint32_t tokens) const;
  /// One slot's rows, in all layers, go to another slot. MisuseError when there is no such slot.
  void move(Slot from, Slot to);
  /// MisuseError unless there is such a slot.
  void expect_slot(Slot slot) const;
  /// What is kept of these blocks: [blocks][layers][K, V][slot][kv_head][dim], as bytes. MisuseError when there is no
  /// such block.
  std::vector<std::byte> save(std::span<const BlockId> blocks) const;
  /// The reverse. MisuseError, nothing written, when the sizes differ or there is no such block.
  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes);

 private:
  std::size_t offset(std::uint32_t layer, BlockId block, std::uint32_t slot) const;
  /// Of as many tokens, which begin at these numbers of K and of V.
  void copy_rows(std::size_t from, std::size_t to, std::uint32_t tokens);
  /// V, or with latent attention the rows that stand for both.
  const float* values() const { return values_.size() == 0 ? keys_.data() : values_.data(); }
  /// Calls visit(buffer) for K and, where there is one, V.
  template <class Self, class Visit>
  static void for_each_buffer(Self& self, Visit visit) {
    visit(self.keys_);
    if (self.values_.size() > 0) visit(self.values_);
  }

  KvLayout layout_;
  std::uint32_t layers_;
  std::uint32_t num_blocks_;
  AlignedBuffer keys_;
  AlignedBuffer values_;
};

/// One sequence in the store: position p lies in blocks[p / block_size], slot p % block_size.
class PagedKvSequence final : public KvSequence {
 public:
  /// The first `num_tokens` positions are computed already. The store and the table's entries are kept by reference.
  /// MisuseError for a block that the store does not have, or when the table is too short for num_tokens.
  PagedKvSequence(PagedKvStore& store, std::span<const BlockId> blocks, std::uint32_t num_tokens);

  std::uint32_t capacity() const override;
  std::uint32_t layers() const override { return store_.layers(); }
  std::size_t row_width() const override { return store_.row_width(); }
  std::size_t value_width() const override { return store_.value_width(); }
  KvRow row(std::uint32_t layer, std::uint32_t position) override;
  void find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const override;

 private:
  PagedKvStore& store_;
  std::span<const BlockId> blocks_;
};

}  // namespace kvarium::cpu
