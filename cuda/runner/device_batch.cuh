#pragma once
// What a pass needs to know of its batch, in the memory of the device.

#include <algorithm>
#include <span>
#include <vector>

#include "core/model_runner.h"
#include "core/speculation/tree.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The batch in arrays, all sequences one behind the other.
struct FlatBatch {
  std::vector<int> tokens;        ///< [tokens] ids
  std::vector<int> positions;     ///< [tokens]
  std::vector<long long> slots;   ///< [tokens] where K and V go: block * block_size + slot in the block
  std::vector<unsigned> starts;   ///< [sequences + 1] where each one's tokens begin
  std::vector<unsigned> past;     ///< [sequences] tokens in the cache before them
  std::vector<unsigned> lengths;  ///< [readers] tokens in the cache, the new ones included
  std::vector<unsigned> tables;   ///< [readers][most_blocks]; behind a table's end 0
  std::vector<int> logit_rows;    ///< of which tokens logits are wanted
  unsigned most_blocks = 0;       ///< of a table
  unsigned most_new = 0;          ///< tokens of a sequence
  /// [tokens] as AttentionPrefill::ancestors; empty: no sequence is a tree
  std::vector<unsigned long long> ancestors;

  /// Readers of the cache are the sequences, or the tokens: each then is the last of a sequence of its own.
  FlatBatch(std::span<const ScheduledSequence> batch, std::uint32_t block_size, bool tokens_read)
      : tokens_read_(tokens_read) {
    for (const ScheduledSequence& sequence : batch) {
      most_blocks = std::max(most_blocks, static_cast<unsigned>(sequence.block_table.size()));
      most_new = std::max(most_new, static_cast<unsigned>(sequence.tokens.size()));
    }
    for (const ScheduledSequence& sequence : batch) add(sequence, block_size);
    const auto is_tree = [](const ScheduledSequence& sequence) { return !sequence.parents.empty(); };
    if (std::any_of(batch.begin(), batch.end(), is_tree)) {
      for (const ScheduledSequence& sequence : batch) add_ancestors(sequence);
    }
    starts.push_back(static_cast<unsigned>(tokens.size()));
  }

 private:
  void add(const ScheduledSequence& sequence, std::uint32_t block_size) {
    starts.push_back(static_cast<unsigned>(tokens.size()));
    past.push_back(sequence.first_position);
    for (std::size_t i = 0; i < sequence.tokens.size(); ++i) {
      const std::uint32_t place = sequence.first_position + static_cast<std::uint32_t>(i);
      const std::uint32_t block = value(sequence.block_table[place / block_size]);
      tokens.push_back(value(sequence.tokens[i]));
      const std::uint32_t node = static_cast<std::uint32_t>(i);
      const std::uint32_t depth = sequence.parents.empty() ? node : depth_of(sequence.parents, node);
      positions.push_back(static_cast<int>(sequence.first_position + depth));
      slots.push_back(static_cast<long long>(block) * block_size + place % block_size);
      if (tokens_read_) add_reader(sequence, place + 1);
    }
    if (!tokens_read_) add_reader(sequence, past.back() + static_cast<unsigned>(sequence.tokens.size()));
    for (std::uint32_t row = sequence.logit_rows; row > 0; --row) {
      logit_rows.push_back(static_cast<int>(tokens.size() - row));
    }
  }

  void add_reader(const ScheduledSequence& sequence, unsigned length) {
    lengths.push_back(length);
    for (const BlockId block : sequence.block_table) tables.push_back(value(block));
    tables.resize(lengths.size() * most_blocks, 0);
  }

  /// Those of a chain of more tokens than there are bits are not looked at.
  void add_ancestors(const ScheduledSequence& sequence) {
    const std::size_t first = ancestors.size();
    for (std::size_t i = 0; i < sequence.tokens.size(); ++i) {
      const std::size_t parent = sequence.parents.empty() ? i - 1 : sequence.parents[i];
      ancestors.push_back((i == 0 ? 0 : ancestors[first + parent]) | 1ULL << i % 64);
    }
  }

  bool tokens_read_;
};

struct DeviceBatch {
  explicit DeviceBatch(const FlatBatch& batch)
      : tokens(batch.tokens, "tokens"),
        positions(batch.positions, "positions"),
        slots(batch.slots, "slots"),
        starts(batch.starts, "starts"),
        past(batch.past, "past"),
        lengths(batch.lengths, "lengths"),
        tables(batch.tables, "block tables"),
        ancestors(batch.ancestors, "ancestors"),
        logit_rows(batch.logit_rows, "logit rows") {}

  const DeviceBuffer<int> tokens, positions;
  const DeviceBuffer<long long> slots;
  const DeviceBuffer<unsigned> starts, past, lengths, tables;
  const DeviceBuffer<unsigned long long> ancestors;
  const DeviceBuffer<int> logit_rows;
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
