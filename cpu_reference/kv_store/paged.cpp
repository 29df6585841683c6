#include "cpu_reference/kv_store/paged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

// A slot that was never written reads as NaN: a wrong block table cannot give a plausible answer.
constexpr float kNeverWritten = std::numeric_limits<float>::quiet_NaN();

/// Numbers in the K (or the V) of all layers, whose rows are `width` wide.
std::uint64_t floats_of(const ModelShape& shape, std::uint32_t num_blocks, std::uint32_t block_size,
                        std::size_t width) {
  if (num_blocks == 0) throw InputError(tr_format("a cache of 0 blocks: give it at least 1 block"));
  if (block_size == 0) throw InputError(tr_format("block size 0: a block must hold at least 1 token"));
  return checked_product({shape.layers, num_blocks, block_size, width}, tr("the pool of KV blocks"));
}

}  // namespace

PagedKvStore::PagedKvStore(const ModelShape& shape, std::uint32_t num_blocks, std::uint32_t block_size)
    : layout_(kv_layout(shape, block_size)),
      layers_(shape.layers),
      num_blocks_(num_blocks),
      keys_(floats_of(shape, num_blocks, block_size, key_row_width(shape)), kNeverWritten, tr("the pool of KV blocks")),
      values_(floats_of(shape, num_blocks, block_size, value_row_width(shape)), kNeverWritten,
              tr("the pool of KV blocks")) {}

std::size_t PagedKvStore::offset(std::uint32_t layer, BlockId block, std::uint32_t slot) const {
  if (layer >= layers_ || value(block) >= num_blocks_ || slot >= block_size()) {
    throw MisuseError(fmt::format("layer {}, block {}, slot {} is outside a store of {} layers, {} blocks, {} slots",
                                  layer, value(block), slot, layers_, num_blocks_, block_size()));
  }
  return layout_.offset(std::size_t{layer} * num_blocks_ + index(block), slot, 0, 0);
}

KvRow PagedKvStore::row(std::uint32_t layer, BlockId block, std::uint32_t slot) {
  const std::size_t at = offset(layer, block, slot);
  return {keys_.data() + at, values_.size() == 0 ? nullptr : values_.data() + at};
}

KvRun PagedKvStore::block(std::uint32_t layer, BlockId block) const {
  const std::size_t at = offset(layer, block, 0);
  return {keys_.data() + at, values() + at, block_size()};
}

void PagedKvStore::expect_can_copy(BlockId from, BlockId to, std::uint32_t tokens) const {
  if (tokens > block_size()) throw MisuseError(fmt::format("{} slots of a block that has {}", tokens, block_size()));
  offset(0, from, 0);
  offset(0, to, 0);
}

void PagedKvStore::copy(BlockId from, BlockId to, std::uint32_t tokens) {
  expect_can_copy(from, to, tokens);
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    copy_rows(offset(layer, from, 0), offset(layer, to, 0), tokens);
  }
}

void PagedKvStore::expect_slot(Slot slot) const {
  if (value(slot) < std::uint64_t{num_blocks_} * block_size()) return;
  throw MisuseError(
      fmt::format("there is no slot {}: the store has {} blocks of {}", value(slot), num_blocks_, block_size()));
}

void PagedKvStore::move(Slot from, Slot to) {
  expect_slot(from);
  expect_slot(to);
  const std::size_t layer_stride = num_blocks_ * layout_.block_stride();
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    copy_rows(layer * layer_stride + layout_.slot_offset(index(from)),
              layer * layer_stride + layout_.slot_offset(index(to)), 1);
  }
}

void PagedKvStore::copy_rows(std::size_t from, std::size_t to, std::uint32_t tokens) {
  const auto count = static_cast<std::ptrdiff_t>(tokens * row_width());
  for_each_buffer(*this, [&](AlignedBuffer& buffer) { std::copy_n(buffer.data() + from, count, buffer.data() + to); });
}

std::vector<std::byte> PagedKvStore::save(std::span<const BlockId> blocks) const {
  const std::size_t run_bytes = layout_.block_stride() * sizeof(float);
  std::vector<std::byte> bytes(blocks.size() * block_bytes());
  std::byte* to = bytes.data();
  for (const BlockId id : blocks) {
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      const std::size_t at = offset(layer, id, 0);
      for_each_buffer(*this, [&](const AlignedBuffer& buffer) {
        std::memcpy(to, buffer.data() + at, run_bytes);
        to += run_bytes;
      });
    }
  }
  return bytes;
}

void PagedKvStore::restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) {
  const std::size_t run_bytes = layout_.block_stride() * sizeof(float);
  if (bytes.size() != blocks.size() * block_bytes()) {
    throw MisuseError(fmt::format("{} saved bytes are not those of {} blocks", bytes.size(), blocks.size()));
  }
  for (const BlockId id : blocks) offset(0, id, 0);  // all exist, before the first is written
  const std::byte* from = bytes.data();
  for (const BlockId id : blocks) {
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      const std::size_t at = offset(layer, id, 0);
      for_each_buffer(*this, [&](AlignedBuffer& buffer) {
        std::memcpy(buffer.data() + at, from, run_bytes);
        from += run_bytes;
      });
    }
  }
}

PagedKvSequence::PagedKvSequence(PagedKvStore& store, std::span<const BlockId> blocks, std::uint32_t num_tokens)
    : KvSequence(num_tokens), store_(store), blocks_(blocks) {
  for (const BlockId block : blocks) {
    if (value(block) >= store.num_blocks()) {
      throw MisuseError(fmt::format("there is no block {}: the store has {}", value(block), store.num_blocks()));
    }
  }
  if (num_tokens > capacity()) {
    throw MisuseError(fmt::format("a table of {} blocks of {} tokens cannot hold {} tokens", blocks.size(),
                                  store.block_size(), num_tokens));
  }
}

std::uint32_t PagedKvSequence::capacity() const {
  const std::uint64_t tokens = std::uint64_t{blocks_.size()} * store_.block_size();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, std::numeric_limits<std::uint32_t>::max()));
}

KvRow PagedKvSequence::row(std::uint32_t layer, std::uint32_t position) {
  expect_place(layer, std::uint64_t{position} + 1);
  return store_.row(layer, blocks_[position / store_.block_size()], position % store_.block_size());
}

void PagedKvSequence::find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const {
  expect_place(layer, tokens);
  found.clear();
  found.reserve(blocks_.size());  // of the whole table at once, so that decoding allocates nothing while it grows
  for (std::uint32_t first = 0, entry = 0; first < tokens; first += found.back().tokens, ++entry) {
    found.push_back(store_.block(layer, blocks_[entry]));
    found.back().tokens = std::min(store_.block_size(), tokens - first);
  }
}

}  // namespace kvarium::cpu
