#pragma once
// The engine's view of a model: tokens in, logits out, K and V into the blocks that the tables name. The CPU
// reference, the kernels and a cost model each are one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/blocks/block_table.h"
#include "core/ids.h"
#include "core/model_shape.h"
#include "core/probe.h"
#include "core/speculation/tree.h"
#include "core/work.h"

namespace kvarium {

/// One request's share of a step.
struct ScheduledSequence {
  RequestId request{};
  std::span<const TokenId> tokens;       ///< [count], at positions first_position ... first_position + count - 1
  std::uint32_t first_position = 0;      ///< K and V of all earlier positions are in the cache
  std::span<const BlockId> block_table;  ///< covers positions [0, first_position + count)
  std::uint32_t logit_rows = 1;          ///< of its last so many tokens the logits are wanted: 1 to count
  bool wants_hidden = false;             ///< the hidden states from which these logits are computed, too
  /// [count] of a tree of drafts (CandidateTree::parents), whose root is the first token: each token sees the past, its
  /// ancestors and itself, and its position is first_position + depth. K and V of token i go where those of position
  /// first_position + i of a chain would. Empty: a chain.
  std::span<const std::uint32_t> parents = {};
};

/// K and V of one slot, in all layers, go to another.
struct SlotMove {
  Slot from{};
  Slot to{};
  bool operator==(const SlotMove&) const = default;
};

/// Keys that the new tokens of a sequence see, all of them together.
inline std::uint64_t keys_seen(const ScheduledSequence& sequence) {
  const std::uint64_t count = sequence.tokens.size();
  std::uint64_t new_ones = count * (count + 1) / 2;
  if (!sequence.parents.empty()) {
    new_ones = 0;
    for (std::uint32_t node = 0; node < count; ++node) new_ones += depth_of(sequence.parents, node) + 1;
  }
  return count * sequence.first_position + new_ones;
}

struct ForwardResult {
  /// [rows][vocab], row-major: of the last `logit_rows` tokens of the first sequence, then of the next.
  std::vector<float> logits;
  std::vector<Work> work;  ///< [sequences]
  /// [rows][hidden], row-major: behind the final norm, of the rows of the sequences that want them.
  std::vector<float> hidden = {};
  /// How long the pass takes by a cost model; none: a clock must tell.
  std::optional<std::uint64_t> simulated_ns = std::nullopt;
};

class ModelRunner {
 public:
  ModelRunner() = default;
  ModelRunner(const ModelRunner&) = delete;
  ModelRunner& operator=(const ModelRunner&) = delete;
  virtual ~ModelRunner() = default;

  virtual const ModelShape& shape() const = 0;
  /// Makes room for the K and V of `num_blocks` blocks of `block_size` tokens; called once, before forward().
  /// InputError when they do not fit in memory.
  virtual void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) = 0;
  /// Computes all tokens of the batch, writes their K and V, returns the logits. MisuseError for an empty batch, an
  /// empty sequence, a token outside the vocabulary, a table that is too short, more rows of logits than tokens, or
  /// parents that are no tree of the tokens. InputError for a tree of more tokens than the runner can see as one.
  virtual ForwardResult forward(std::span<const ScheduledSequence> batch) = 0;
  /// Copies the first slots of one block to another, in all layers, in the order of the list. MisuseError for a block
  /// that does not exist, or for more slots than a block has.
  virtual void copy(std::span<const BlockCopy> copies) = 0;
  /// Copies slots, in the order of the list: how the accepted path of a tree of drafts comes to the front. MisuseError,
  /// nothing copied, for a slot that does not exist.
  virtual void move(std::span<const SlotMove> moves) = 0;
  /// The K and V of these blocks as bytes, for restore() of the same runner: how a preempted request waits in the
  /// memory of the host. MisuseError for a block that does not exist.
  virtual std::vector<std::byte> save(std::span<const BlockId> blocks) const = 0;
  /// Writes what save() returned into as many blocks. MisuseError when the sizes differ.
  virtual void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) = 0;
  /// The bytes that so many blocks take in the memory of the host.
  virtual std::uint64_t saved_bytes(std::size_t num_blocks) const = 0;
  /// From now on each pass reports its layer `probe->layer` there; nullptr: no more, which costs nothing. False when
  /// this runner computes no attention to report. MisuseError when the model has no such layer.
  virtual bool set_probe(StepProbe* probe) { return probe == nullptr; }
  /// True when times come from a cost model and not from a clock.
  virtual bool simulated() const { return false; }
};

}  // namespace kvarium
