#include "cpu_reference/model/transformer.h"

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "cpu_reference/attention/cached.h"
#include "cpu_reference/attention/naive.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/operators/linear.h"
#include "cpu_reference/operators/rms_norm.h"
#include "cpu_reference/operators/rope.h"
#include "cpu_reference/operators/swiglu.h"

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
  if (cache.layers() != shape.layers || cache.row_width() != std::size_t{shape.kv_heads} * shape.head_dim) {
    throw MisuseError(fmt::format("the cache has {} layers of rows of {}, the model {} of {}", cache.layers(),
                                  cache.row_width(), shape.layers, shape.kv_heads * shape.head_dim));
  }
  if (tokens > cache.capacity() - cache.num_tokens()) {
    throw MisuseError(fmt::format("{} tokens do not fit behind the {} in a cache of {}", tokens, cache.num_tokens(),
                                  cache.capacity()));
  }
}

/// One forward pass over some tokens: the values that all layers share, and the steps.
class Pass {
 public:
  /// `cache` is null for a pass without a cache, which starts at position 0.
  Pass(const Model& model, std::span<const TokenId> tokens, KvSequence* cache, Work& work)
      : config_(model.config),
        weights_(model.weights),
        cache_(cache),
        first_(cache == nullptr ? 0 : cache->num_tokens()),
        angles_(
            rope_angles(first_, static_cast<std::uint32_t>(tokens.size()), config_.shape.head_dim, config_.rope_theta)),
        work_(work),
        x_(static_cast<Index>(tokens.size()), Index{config_.shape.hidden}) {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      x_.row(static_cast<Index>(t)) = weights_.embedding.f32().row(value(tokens[t]));
    }
    work_.bytes_read += bytes_of(x_);
  }

  void run_layers() {
    for (std::uint32_t l = 0; l < config_.shape.layers; ++l) {
      x_ += attention(l);
      x_ += feed_forward(weights_.layers[l]);
    }
  }

  /// [last_tokens][vocab] of the last tokens of the pass.
  std::vector<float> logits(Index last_tokens) {
    const Matrix normed = rms_norm(x_.bottomRows(last_tokens), weights_.final_norm, config_.norm_epsilon, work_);
    const Matrix rows = linear(normed, weights_.head.f32(), work_);
    std::vector<float> result(rows.data(), rows.data() + rows.size());
    if (!std::all_of(result.begin(), result.end(), [](float logit) { return std::isfinite(logit); })) {
      throw InputError(
          tr_format("the model {} computes a logit that is not a finite number: its weights are too large "
                    "or damaged, use another file",
                    config_.shape.name));
    }
    return result;
  }

 private:
  /// Wo attention(rope(Wq n), rope(Wk n), Wv n) with n = rms_norm(x): [tokens][hidden]
  Matrix attention(std::uint32_t l) {
    const LayerWeights& layer = weights_.layers[l];
    const Matrix normed = rms_norm(x_, layer.attention_norm, config_.norm_epsilon, work_);
    Matrix queries = linear(normed, layer.query.f32(), work_);  // [tokens][query_heads * head_dim]
    Matrix keys = linear(normed, layer.key.f32(), work_);       // [tokens][kv_heads * head_dim]
    const Matrix values = linear(normed, layer.value.f32(), work_);
    work_.kv_projections += static_cast<std::uint64_t>(x_.rows());
    rope(queries, config_.shape.head_dim, angles_, config_.rope_pairs);
    rope(keys, config_.shape.head_dim, angles_, config_.rope_pairs);

    const Heads heads = heads_of(config_.shape);
    if (cache_ == nullptr)
      return linear(attention_naive(queries, keys, values, heads, work_), layer.output.f32(), work_);
    write_to_cache(l, keys, values);
    const auto runs = cache_->runs(l, first_ + static_cast<std::uint32_t>(x_.rows()));
    return linear(attention_cached(queries, first_, runs, heads, work_), layer.output.f32(), work_);
  }

  /// Wdown swiglu(Wgate n, Wup n) with n = rms_norm(x): [tokens][hidden]
  Matrix feed_forward(const LayerWeights& layer) {
    const Matrix normed = rms_norm(x_, layer.ffn_norm, config_.norm_epsilon, work_);
    const Matrix inner = swiglu(linear(normed, layer.gate.f32(), work_), linear(normed, layer.up.f32(), work_));
    return linear(inner, layer.down.f32(), work_);
  }

  void write_to_cache(std::uint32_t l, const Matrix& keys, const Matrix& values) {
    for (Index t = 0; t < keys.rows(); ++t) {
      const KvRow row = cache_->row(l, first_ + static_cast<std::uint32_t>(t));
      std::copy_n(keys.row(t).data(), keys.cols(), row.key);
      std::copy_n(values.row(t).data(), values.cols(), row.value);
    }
  }

  const ModelConfig& config_;
  const Weights& weights_;
  KvSequence* cache_;
  std::uint32_t first_;  ///< position of the first token
  RopeAngles angles_;
  Work& work_;
  Matrix x_;  ///< the residual stream, [tokens][hidden]
};

/// The logits of the last tokens. Work is added once all is done: a pass that fails counts nothing.
std::vector<float> run(const Model& model, std::span<const TokenId> tokens, KvSequence* cache, Index last_tokens,
                       Work& work) {
  Work done;
  Pass pass(model, tokens, cache, done);
  pass.run_layers();
  std::vector<float> logits = pass.logits(last_tokens);
  work += done;
  return logits;
}

}  // namespace

std::vector<float> Transformer::forward_uncached(std::span<const TokenId> tokens, Work& work) const {
  expect_valid(tokens, 0, model_.config.shape);
  return run(model_, tokens, nullptr, 1, work);
}

std::vector<float> Transformer::forward_uncached_all(std::span<const TokenId> tokens, Work& work) const {
  expect_valid(tokens, 0, model_.config.shape);
  return run(model_, tokens, nullptr, static_cast<Index>(tokens.size()), work);
}

void Transformer::expect_can_prefill(std::span<const TokenId> tokens, const KvSequence& cache) const {
  expect_valid(tokens, cache.num_tokens(), model_.config.shape);
  expect_fits(cache, tokens.size(), model_.config.shape);
}

std::vector<float> Transformer::prefill(std::span<const TokenId> tokens, KvSequence& cache, Work& work) const {
  expect_can_prefill(tokens, cache);
  std::vector<float> logits = run(model_, tokens, &cache, 1, work);
  cache.advance(static_cast<std::uint32_t>(tokens.size()));
  return logits;
}

std::vector<float> Transformer::decode_one(TokenId token, KvSequence& cache, Work& work) const {
  return prefill(std::span<const TokenId>(&token, 1), cache, work);
}

}  // namespace kvarium::cpu
