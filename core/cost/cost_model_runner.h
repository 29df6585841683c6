#pragma once
// A model runner without a model: it computes no number, keeps no K and V, and says how long a GPU would have taken.
// With it the real engine (pool, prefix cache, scheduler) serves traces of any size in simulated time.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/cost/step_cost.h"
#include "core/model_runner.h"
#include "core/token_text.h"

namespace kvarium {

/// Tokens without a text: their number is their name.
class NumberText final : public TokenText {
 public:
  std::string piece(std::optional<TokenId>, TokenId) const override { return {}; }
  std::string name(TokenId token) const override { return std::to_string(value(token)); }
};

/// Times are of the profile's model; the vocabulary is smaller, because logits that say nothing need not be many. The
/// next token depends on the newest token and its position alone, so that answers are the same however a prompt is cut
/// into chunks, preempted or found in a cache.
class CostModelRunner final : public ModelRunner {
 public:
  /// `context`: the longest sequence, which may be longer than the model's own; 0: as the model has it. InputError when
  /// the profile's peaks, or the numbers of its model that decide about the KV cache, are 0.
  explicit CostModelRunner(const ServerProfile& server, std::uint32_t context = 0);

  static constexpr std::uint32_t kVocab = 256;

  /// Its name begins with "simulated".
  const ModelShape& shape() const override { return shape_; }
  /// Takes no memory. MisuseError when called twice.
  void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) override;
  /// simulated_ns: the step by StepCost, and before it, one after the other, the copies and swaps since the last pass.
  ForwardResult forward(std::span<const ScheduledSequence> batch) override;
  /// Read and written in the GPU's memory.
  void copy(std::span<const BlockCopy> copies) override;
  void move(std::span<const SlotMove> moves) override;
  /// One byte a block, no more than restore() needs to check its own; saved_bytes() says what they stand for.
  std::vector<std::byte> save(std::span<const BlockId> blocks) const override;
  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) override;
  std::uint64_t saved_bytes(std::size_t num_blocks) const override;
  bool simulated() const override { return true; }

 private:
  void must_exist(BlockId block) const;
  void check(const ScheduledSequence& sequence) const;
  Work work(const ScheduledSequence& sequence, bool reads_weights) const;

  ServerProfile server_;
  ModelShape shape_;
  std::uint32_t num_blocks_ = 0;
  std::uint32_t block_size_ = 0;
  mutable double moving_seconds_ = 0;  ///< copies and swaps that the next pass waits for; save() adds to it
};

}  // namespace kvarium
