#include "core/cost/cost_model_runner.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// The token behind token i of the sequence's share.
std::size_t next_token(const ScheduledSequence& sequence, std::size_t i) {
  const auto newest = static_cast<std::uint32_t>(value(sequence.tokens[i]));
  const std::size_t depth = sequence.parents.empty() ? i : depth_of(sequence.parents, static_cast<std::uint32_t>(i));
  const std::uint64_t position = sequence.first_position + depth + 1;
  return static_cast<std::size_t>(mix(position << 32U | newest) % CostModelRunner::kVocab);
}

std::uint64_t whole(double number) { return static_cast<std::uint64_t>(std::llround(number)); }

}  // namespace

CostModelRunner::CostModelRunner(const ServerProfile& server, std::uint32_t context)
    : server_(server), shape_(server.model) {
  kvarium::check(shape_);
  if (server.gpu.flops_per_second <= 0 || server.gpu.memory.bytes_per_second <= 0 ||
      server.host.bytes_per_second <= 0) {
    throw InputError(std::string(tr("a GPU that computes or moves nothing: give its peaks in the profile")));
  }
  shape_.name = fmt::format("simulated: {} on one {}", server.model.name, server.gpu.name);
  shape_.vocab = kVocab;
  if (context > 0) shape_.context = context;
}

void CostModelRunner::create_cache(std::uint32_t num_blocks, std::uint32_t block_size) {
  if (num_blocks_ > 0) throw MisuseError("the cache was created already");
  num_blocks_ = num_blocks;
  block_size_ = block_size;
}

void CostModelRunner::must_exist(BlockId block) const {
  if (value(block) >= num_blocks_) {
    throw MisuseError(fmt::format("there is no block {}: the cache has {}", value(block), num_blocks_));
  }
}

void CostModelRunner::check(const ScheduledSequence& sequence) const {
  if (sequence.tokens.empty()) throw MisuseError("an empty sequence: nothing to compute");
  for (const TokenId token : sequence.tokens) {
    if (value(token) < 0 || index(token) >= kVocab) {
      throw MisuseError(fmt::format("token {} is outside the vocabulary of {}", value(token), kVocab));
    }
  }
  if (sequence.logit_rows == 0 || sequence.logit_rows > sequence.tokens.size()) {
    throw MisuseError(fmt::format("{} rows of logits of {} tokens", sequence.logit_rows, sequence.tokens.size()));
  }
  if (!sequence.parents.empty()) {
    if (sequence.parents.size() != sequence.tokens.size()) throw MisuseError("a tree of drafts has other nodes");
    expect_tree(sequence.parents);
  }
  const std::uint64_t end = std::uint64_t{sequence.first_position} + sequence.tokens.size();
  if (end > std::uint64_t{block_size_} * sequence.block_table.size()) {
    throw MisuseError(fmt::format("a table of {} blocks is too short for {} tokens", sequence.block_table.size(), end));
  }
  for (const BlockId block : sequence.block_table) must_exist(block);
}

// As the CPU reference counts: products of each layer's query heads, and all that is read. The weights, which a batch
// reads once, are counted with its first sequence.
Work CostModelRunner::work(const ScheduledSequence& sequence, bool reads_weights) const {
  const auto tokens = static_cast<double>(sequence.tokens.size());
  StepCost cost(server_);
  const double weights = cost.bytes();
  cost.add_prompt(sequence.first_position, tokens);
  return {.kv_projections = std::uint64_t{shape_.layers} * sequence.tokens.size(),
          .score_products = keys_seen(sequence) * shape_.layers * shape_.query_heads,
          .bytes_read = whole(cost.bytes() - (reads_weights ? 0 : weights)),
          .flops = whole(cost.flops())};
}

ForwardResult CostModelRunner::forward(std::span<const ScheduledSequence> batch) {
  if (batch.empty()) throw MisuseError("an empty batch: nothing to compute");
  for (const ScheduledSequence& sequence : batch) check(sequence);
  StepCost cost(server_);
  ForwardResult result;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    cost.add_prompt(batch[i].first_position, static_cast<double>(batch[i].tokens.size()));
    result.work.push_back(work(batch[i], i == 0));
    for (std::size_t row = batch[i].logit_rows; row > 0; --row) {
      result.logits.resize(result.logits.size() + kVocab, 0.0F);
      result.logits[result.logits.size() - kVocab + next_token(batch[i], batch[i].tokens.size() - row)] = 1.0F;
    }
  }
  result.simulated_ns = whole((cost.seconds() + moving_seconds_) * 1e9);
  moving_seconds_ = 0;
  return result;
}

void CostModelRunner::copy(std::span<const BlockCopy> copies) {
  double bytes = 0;
  for (const BlockCopy& copy : copies) {
    must_exist(copy.from);
    must_exist(copy.to);
    if (copy.tokens > block_size_) {
      throw MisuseError(fmt::format("{} slots are copied of a block of {}", copy.tokens, block_size_));
    }
    bytes += 2 * kv_bytes_per_token(server_) * copy.tokens;
  }
  moving_seconds_ += transfer_time(bytes, server_.gpu.memory);
}

void CostModelRunner::move(std::span<const SlotMove> moves) {
  const std::uint64_t slots = std::uint64_t{num_blocks_} * block_size_;
  for (const SlotMove& move : moves) {
    for (const Slot slot : {move.from, move.to}) {
      if (value(slot) >= slots)
        throw MisuseError(fmt::format("there is no slot {}: the cache has {}", value(slot), slots));
    }
  }
  const double bytes = 2 * kv_bytes_per_token(server_) * static_cast<double>(moves.size());
  moving_seconds_ += transfer_time(bytes, server_.gpu.memory);
}

std::vector<std::byte> CostModelRunner::save(std::span<const BlockId> blocks) const {
  for (const BlockId block : blocks) must_exist(block);
  std::vector<std::byte> saved(blocks.size());
  moving_seconds_ += transfer_time(static_cast<double>(saved_bytes(blocks.size())), server_.host);
  return saved;
}

void CostModelRunner::restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) {
  for (const BlockId block : blocks) must_exist(block);
  if (bytes.size() != blocks.size()) {
    throw MisuseError(fmt::format("K and V of {} blocks are restored into {}", bytes.size(), blocks.size()));
  }
  moving_seconds_ += transfer_time(static_cast<double>(saved_bytes(blocks.size())), server_.host);
}

std::uint64_t CostModelRunner::saved_bytes(std::size_t num_blocks) const {
  return whole(kv_bytes_per_token(server_)) * block_size_ * num_blocks;
}

}  // namespace kvarium
