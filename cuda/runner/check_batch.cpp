#include "cuda/runner/check_batch.h"

#include <fmt/format.h>

#include "core/blocks/blocks_for.h"
#include "core/error.h"
#include "core/speculation/tree.h"
#include "cuda/kernels/most_tree_tokens.h"

namespace kvarium::cuda {
namespace {

void check_sequence(const ModelShape& shape, const ScheduledSequence& sequence, std::uint32_t block_size,
                    std::uint32_t num_blocks) {
  const std::uint64_t end = std::uint64_t{sequence.first_position} + sequence.tokens.size();
  if (sequence.tokens.empty()) throw MisuseError("a forward pass over a sequence without tokens");
  if (end > shape.context) {
    throw MisuseError(fmt::format("{} tokens are more than the model's context of {}", end, shape.context));
  }
  if (sequence.logit_rows == 0 || sequence.logit_rows > sequence.tokens.size()) {
    throw MisuseError(fmt::format("{} rows of logits of {} tokens", sequence.logit_rows, sequence.tokens.size()));
  }
  for (const TokenId token : sequence.tokens) {
    if (value(token) >= 0 && static_cast<std::uint32_t>(value(token)) < shape.vocab) continue;
    throw MisuseError(fmt::format("token {} is outside the vocabulary of {}", value(token), shape.vocab));
  }
  if (!sequence.parents.empty()) {
    if (sequence.parents.size() != sequence.tokens.size()) throw MisuseError("a tree of drafts has other nodes");
    expect_tree(sequence.parents);
    if (shape.kv_kind == KvKind::latent) throw InputError("the kernels judge no trees of drafts of a latent model");
    if (sequence.parents.size() > kMostTreeTokens) {
      throw InputError(fmt::format("a tree of {} drafts: the kernels verify at most {}, make the draft length smaller",
                                   sequence.parents.size() - 1, kMostTreeTokens - 1));
    }
  }
  if (std::uint64_t{sequence.block_table.size()} * block_size < end) {
    throw MisuseError(
        fmt::format("a table of {} blocks of {} for {} tokens", sequence.block_table.size(), block_size, end));
  }
  expect_blocks(sequence.block_table, num_blocks);
}

/// Numbers of one layer's matrices.
std::uint64_t layer_numbers(const PlainModel& model) {
  const ModelShape& shape = model.shape;
  const std::uint64_t hidden = shape.hidden, heads = shape.query_heads;
  const std::uint64_t cached = hidden * (key_row_width(shape) + value_row_width(shape));
  const std::uint64_t rotary = is_latent(model) ? shape.rotary_key_dim : 0;
  const std::uint64_t latent = is_latent(model) ? heads * (shape.head_dim + model.value_dim) * shape.latent_dim : 0;
  return hidden * heads * (shape.head_dim + rotary + model.value_dim) + cached + latent + 3 * hidden * model.ffn_hidden;
}

/// That a query is multiplied with, and that its weight is: of the key, and of the value.
std::uint64_t numbers_of_a_key(const PlainModel& model) {
  if (is_latent(model)) return key_row_width(model.shape) + model.shape.latent_dim;
  return 2 * model.shape.head_dim;
}

}  // namespace

void check_batch(const ModelShape& shape, std::span<const ScheduledSequence> batch, std::uint32_t block_size,
                 std::uint32_t num_blocks) {
  if (batch.empty()) throw MisuseError("a forward pass over an empty batch");
  for (const ScheduledSequence& sequence : batch) check_sequence(shape, sequence, block_size, num_blocks);
}

void expect_slot(Slot slot, std::uint32_t num_slots) {
  if (value(slot) < num_slots) return;
  throw MisuseError(fmt::format("there is no slot {}: the cache has {}", value(slot), num_slots));
}

void expect_blocks(std::span<const BlockId> blocks, std::uint32_t num_blocks) {
  for (const BlockId block : blocks) {
    if (value(block) < num_blocks) continue;
    throw MisuseError(fmt::format("there is no block {}: the cache has {}", value(block), num_blocks));
  }
}

Work work_of(const PlainModel& model, const ScheduledSequence& sequence) {
  const std::uint64_t tokens = sequence.tokens.size(), layers = model.shape.layers;
  Work work;
  work.kv_projections = tokens * layers;
  work.score_products = layers * model.shape.query_heads * keys_seen(sequence);
  work.flops = 2 * (tokens * layers * layer_numbers(model) +
                    sequence.logit_rows * std::uint64_t{model.shape.vocab} * model.shape.hidden) +
               2 * work.score_products * numbers_of_a_key(model);
  return work;
}

std::uint64_t weight_bytes(const PlainModel& model, std::size_t bytes_of_number) {
  return (model.shape.layers * layer_numbers(model) + std::uint64_t{model.shape.vocab} * model.shape.hidden) *
         bytes_of_number;
}

}  // namespace kvarium::cuda
