#include "cpu_reference/model/transformer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "cpu_reference/model/pass.h"
#include "cpu_reference/model/rotary.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {
namespace {

void expect_valid(std::span<const TokenId> tokens, std::uint32_t first_position, const ModelShape& shape) {
  if (tokens.empty()) throw MisuseError("the transformer was given no tokens");
  for (const TokenId token : tokens) {
    if (value(token) < 0 || index(token) >= shape.vocab) {
      throw MisuseError(fmt::format("token {} is outside a vocabulary of {}", value(token), shape.vocab));
    }
  }
  if (std::uint64_t{first_position} + tokens.size() > shape.context) {
    throw MisuseError(fmt::format("{} tokens from position {} do not fit in a context of {}", tokens.size(),
                                  first_position, shape.context));
  }
}

void expect_fits(const KvSequence& cache, std::size_t tokens, const ModelShape& shape) {
  const std::size_t key_width = key_row_width(shape), value_width = value_row_width(shape);
  if (cache.layers() != shape.layers || cache.row_width() != key_width || cache.value_width() != value_width) {
    throw MisuseError(fmt::format("the cache has {} layers of rows of {} and {}, the model {} of {} and {}",
                                  cache.layers(), cache.row_width(), cache.value_width(), shape.layers, key_width,
                                  value_width));
  }
  if (tokens > cache.capacity() - cache.num_tokens()) {
    throw MisuseError(fmt::format("{} tokens do not fit behind the {} in a cache of {}", tokens, cache.num_tokens(),
                                  cache.capacity()));
  }
}

std::vector<float> run_uncached(const Model& model, const std::vector<double>& rope_frequencies,
                                std::span<const TokenId> tokens, std::uint32_t logit_rows, Work& work) {
  expect_valid(tokens, 0, model.config.shape);
  Workspace workspace;
  const SequenceInput input{tokens, nullptr, logit_rows};
  Work done;
  Pass(model, rope_frequencies, {&input, 1}, workspace, {&done, 1}, nullptr).run();
  work += done;
  return {workspace.logits.data(), workspace.logits.data() + workspace.logits.size()};
}

}  // namespace

Transformer::Transformer(const Model& model) : model_(model), rope_frequencies_(rope_frequencies(model.config)) {}

std::vector<float> Transformer::forward_uncached(std::span<const TokenId> tokens, Work& work) const {
  return run_uncached(model_, rope_frequencies_, tokens, 1, work);
}

std::vector<float> Transformer::forward_uncached_all(std::span<const TokenId> tokens, Work& work) const {
  const auto all = static_cast<std::uint32_t>(tokens.size());  // no more than the context
  return run_uncached(model_, rope_frequencies_, tokens, all, work);
}

void Transformer::expect_can_prefill(std::span<const TokenId> tokens, const KvSequence& cache) const {
  expect_valid(tokens, cache.num_tokens(), model_.config.shape);
  expect_fits(cache, tokens.size(), model_.config.shape);
}

std::span<const float> Transformer::forward(std::span<const SequenceInput> batch, Workspace& workspace,
                                            std::span<Work> work, StepProbe* probe) const {
  if (batch.empty()) throw MisuseError("a forward pass over an empty batch");
  if (work.size() != batch.size()) {
    throw MisuseError(fmt::format("{} counts of work for {} sequences", work.size(), batch.size()));
  }
  for (const SequenceInput& input : batch) {
    if (input.cache == nullptr) throw MisuseError("a sequence of a pass has no cache");
    expect_can_prefill(input.tokens, *input.cache);
    if (input.logit_rows == 0 || input.logit_rows > input.tokens.size()) {
      throw MisuseError(fmt::format("{} rows of logits of {} tokens", input.logit_rows, input.tokens.size()));
    }
    if (input.parents.empty()) continue;
    if (input.parents.size() != input.tokens.size())
      throw MisuseError("a tree of drafts has as many parents as tokens");
    expect_tree(input.parents);
  }
  workspace.work.assign(batch.size(), Work{});
  if (probe != nullptr) probe->sequences.resize(batch.size());
  Pass(model_, rope_frequencies_, batch, workspace, workspace.work, probe).run();

  const std::size_t vocab = model_.config.shape.vocab;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].cache->advance(static_cast<std::uint32_t>(batch[i].tokens.size()));
    work[i] += workspace.work[i];
    rows += batch[i].logit_rows;
    const float* row = workspace.logits.data() + (rows - 1) * vocab;  // of its last token
    if (probe != nullptr) probe->sequences[i].logits.assign(row, row + vocab);
  }
  return {workspace.logits.data(), rows * vocab};
}

std::vector<float> Transformer::prefill(std::span<const TokenId> tokens, KvSequence& cache, Work& work) const {
  Workspace workspace;
  const SequenceInput input{tokens, &cache};
  const std::span<const float> logits = forward({&input, 1}, workspace, {&work, 1});
  return {logits.begin(), logits.end()};
}

std::vector<float> Transformer::decode_one(TokenId token, KvSequence& cache, Work& work) const {
  return prefill(std::span<const TokenId>(&token, 1), cache, work);
}

}  // namespace kvarium::cpu
