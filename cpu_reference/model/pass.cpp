#include "cpu_reference/model/pass.h"

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "cpu_reference/attention/naive.h"
#include "cpu_reference/attention/paged.h"
#include "cpu_reference/attention/weights.h"
#include "cpu_reference/model/tree_views.h"
#include "cpu_reference/operators/gelu.h"
#include "cpu_reference/operators/layer_norm.h"
#include "cpu_reference/operators/linear.h"
#include "cpu_reference/operators/rms_norm.h"
#include "cpu_reference/operators/swiglu.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {
namespace {

Index total_tokens(std::span<const SequenceInput> batch) {
  Index total = 0;
  for (const SequenceInput& input : batch) total += Index{input.count()};
  return total;
}

Index total_logit_rows(std::span<const SequenceInput> batch) {
  Index total = 0;
  for (const SequenceInput& input : batch) total += Index{input.logit_rows};
  return total;
}

/// Each head of each token is a row of its own: [tokens * heads][head_dim], the same memory.
Eigen::Map<Matrix> heads_as_rows(Matrix& x, std::uint32_t head_dim) {
  return {x.data(), x.size() / Index{head_dim}, Index{head_dim}};
}

void write_to_cache(KvSequence& cache, std::uint32_t l, std::uint32_t first, const MatrixIn& keys,
                    const MatrixIn& values) {
  for (Index t = 0; t < keys.rows(); ++t) {
    const KvRow row = cache.row(l, first + static_cast<std::uint32_t>(t));
    std::copy_n(keys.row(t).data(), keys.cols(), row.key);
    std::copy_n(values.row(t).data(), values.cols(), row.value);
  }
}

void copy_rows(std::span<const KvRun> runs, const float* KvRun::*rows, std::size_t width, std::vector<float>& numbers) {
  numbers.clear();
  for (const KvRun& run : runs) numbers.insert(numbers.end(), run.*rows, run.*rows + run.tokens * width);
}

/// `weights`: [query_heads][past, and the nodes of a tree from its root to `node`]. They go to the places of the slots.
void write_to_slots(std::span<const float> weights, std::span<const std::uint32_t> parents, std::uint32_t node,
                    SequenceProbe& probe) {
  const std::size_t past = probe.first_position, end = past + probe.tokens;
  const std::size_t seen = past + depth_of(parents, node) + 1, heads = weights.size() / seen;
  for (std::size_t h = 0; h < heads; ++h) {
    const float* const from = weights.data() + h * seen;
    float* const to = probe.attention.data() + (h * probe.tokens + node) * end;
    std::copy_n(from, past, to);
    std::uint32_t above = node;
    for (std::size_t place = seen; place-- > past; above = parents[above]) to[past + above] = from[place];
  }
}

}  // namespace

Pass::Pass(const Model& model, const std::vector<double>& rope_frequencies, std::span<const SequenceInput> batch,
           Workspace& workspace, std::span<Work> work, StepProbe* probe)
    : config_(model.config),
      weights_(model.weights),
      rope_frequencies_(rope_frequencies),
      batch_(batch),
      space_(workspace),
      work_(work),
      probe_(probe) {
  space_.fit(config_, total_tokens(batch), total_logit_rows(batch));
}

void Pass::run() {
  embed();
  for (std::uint32_t l = 0; l < config_.shape.layers; ++l) {
    attention(l);
    feed_forward(weights_.layers[l]);
  }
  logits();
  add_up_work();
}

/// x[t] = embedding[token] (+ position_embedding[position]), and the angles of the positions.
void Pass::embed() {
  const Index hidden = config_.shape.hidden;
  Index row = 0;
  for (const SequenceInput& input : batch_) {
    if (input.parents.empty()) {
      write_angles(rope_frequencies_, input.first_position(), input.count(), row, space_.angles);
    }
    for (std::uint32_t t = 0; t < input.count(); ++t, ++row) {
      if (!input.parents.empty()) write_angles(rope_frequencies_, input.position(t), 1, row, space_.angles);
      const WeightMatrix& table = weights_.embedding;
      dequantize_row(table.type, table.row(value(input.tokens[t])), hidden, space_.x.row(row).data());
      shared_.bytes_read += row_bytes(table.type, static_cast<std::uint64_t>(hidden));
      if (config_.positions != Positions::learned) continue;
      const WeightMatrix& places = weights_.position_embedding;
      dequantize_row(places.type, places.row(Index{input.position(t)}), hidden, space_.added.row(row).data());
      space_.x.row(row) += space_.added.row(row);
      shared_.bytes_read += row_bytes(places.type, static_cast<std::uint64_t>(hidden));
    }
  }
}

/// x += Wo attention(rope(Wq n), rope(Wk n), Wv n) with n = norm(x)
void Pass::attention(std::uint32_t l) {
  const LayerWeights& layer = weights_.layers[l];
  normalise(space_.x, layer.attention_norm, layer.attention_norm_bias, space_.normed);
  if (config_.latent()) {
    latent_attention(l);
  } else {
    project(layer);
    Index row = 0;
    for (std::size_t i = 0; i < batch_.size(); row += Index{batch_[i].count()}, ++i) attend(batch_[i], row, i, l);
  }
  linear_with_bias(space_.attended, layer.output, layer.output_bias, space_.added);
  space_.x += space_.added;
}

/// The queries, keys and values of all tokens, rotated.
void Pass::project(const LayerWeights& layer) {
  linear_with_bias(space_.normed, layer.query, layer.query_bias, space_.queries);
  linear_with_bias(space_.normed, layer.key, layer.key_bias, space_.keys);
  linear_with_bias(space_.normed, layer.value, layer.value_bias, space_.values);
  const std::uint32_t dim = config_.shape.head_dim;
  if (config_.qk_norm) {
    Eigen::Map<Matrix> queries = heads_as_rows(space_.queries, dim), keys = heads_as_rows(space_.keys, dim);
    rms_norm(queries, layer.query_norm, config_.norm_epsilon, queries, shared_);
    rms_norm(keys, layer.key_norm, config_.norm_epsilon, keys, shared_);
  }
  if (config_.positions != Positions::rotary) return;
  rope(space_.queries, dim, space_.angles, config_.rope_pairs);
  rope(space_.keys, dim, space_.angles, config_.rope_pairs);
}

/// The attention of one sequence, whose tokens are rows [row, row + tokens).
void Pass::attend(const SequenceInput& input, Index row, std::size_t sequence, std::uint32_t l) {
  const Index tokens = Index{input.count()};
  const auto queries = space_.queries.middleRows(row, tokens);
  const auto keys = space_.keys.middleRows(row, tokens), values = space_.values.middleRows(row, tokens);
  auto out = space_.attended.middleRows(row, tokens);
  const Heads heads = heads_of(config_.shape);
  if (input.cache == nullptr) {
    out = attention_naive(queries, keys, values, heads, work_[sequence], config_.sliding_window);
    return;
  }
  const std::uint32_t first = input.first_position();
  write_to_cache(*input.cache, l, first, keys, values);
  for_each_view(input, l, space_.runs, [&](Index t, Index count, std::uint32_t position) {
    attention_paged(queries.middleRows(t, count), position, space_.runs, heads, config_.sliding_window,
                    out.middleRows(t, count), space_.threads, work_[sequence]);
  });
  if (probe_ != nullptr && probe_->layer == l) report(input, space_.queries, row, heads, sequence);
}

/// x += Wdown swiglu(Wgate n, Wup n), or Wdown gelu(Wup n), with n = norm(x)
void Pass::feed_forward(const LayerWeights& layer) {
  normalise(space_.x, layer.ffn_norm, layer.ffn_norm_bias, space_.normed);
  linear_with_bias(space_.normed, layer.up, layer.up_bias, space_.up);
  if (config_.feed_forward == FeedForward::swiglu) {
    linear(space_.normed, layer.gate, space_.gate, space_.threads, shared_);
    swiglu(space_.gate, space_.up);
    linear_with_bias(space_.gate, layer.down, layer.down_bias, space_.added);
  } else {
    gelu(space_.up);
    linear_with_bias(space_.up, layer.down, layer.down_bias, space_.added);
  }
  space_.x += space_.added;
}

/// logits = Whead norm(x) of the wanted rows.
void Pass::logits() {
  Index end = 0, done = 0;  // rows of x, rows of logits
  for (const SequenceInput& input : batch_) {
    const Index wanted = Index{input.logit_rows};
    end += Index{input.count()};
    space_.last.middleRows(done, wanted) = space_.x.middleRows(end - wanted, wanted);
    done += wanted;
  }
  normalise(space_.last, weights_.final_norm, weights_.final_norm_bias, space_.last);
  linear(space_.last, weights_.head, space_.logits, space_.threads, head_);
  if (!space_.logits.allFinite()) {
    throw InputError(
        tr_format("the model {} computes a logit that is not a finite number: its weights are too large or damaged, "
                  "use another file",
                  config_.shape.name));
  }
}

/// Products count for the sequence whose tokens they serve, what is read once for all of them for the first sequence.
void Pass::add_up_work() {
  const auto tokens = static_cast<std::uint64_t>(space_.x.rows());
  const auto rows = static_cast<std::uint64_t>(space_.last.rows());
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const std::uint64_t own = batch_[i].count(), own_rows = batch_[i].logit_rows;
    work_[i].kv_projections += own * config_.shape.layers;
    work_[i].flops += shared_.flops / tokens * own + head_.flops / rows * own_rows;
  }
  work_[0].bytes_read += shared_.bytes_read + head_.bytes_read;
}

void Pass::normalise(const Matrix& x, const Vector& weight, const Vector& bias, Matrix& y) {
  if (config_.norm == NormKind::rms) {
    rms_norm(x, weight, config_.norm_epsilon, y, shared_);
  } else {
    layer_norm(x, weight, bias, config_.norm_epsilon, y, shared_);
  }
}

void Pass::linear_with_bias(const Matrix& x, const WeightMatrix& weight, const Vector& bias, Matrix& y) {
  linear(x, weight, y, space_.threads, shared_);
  if (bias.size() == 0) return;
  y.rowwise() += bias.transpose();
  shared_.bytes_read += bytes_of(bias);
}

/// What the heads read with these queries; with latent attention all heads read the cached row, see SequenceProbe.
void Pass::report(const SequenceInput& input, const Matrix& all_queries, Index row, const Heads& heads,
                  std::size_t sequence) {
  SequenceProbe& probe = probe_->sequences[sequence];
  probe.first_position = input.first_position();
  probe.tokens = input.count();
  const auto queries = all_queries.middleRows(row, Index{probe.tokens});
  probe.queries.assign(queries.data(), queries.data() + queries.size());
  const std::uint32_t end = probe.first_position + probe.tokens;
  probe.attention.assign(std::size_t{heads.query_heads} * probe.tokens * end, 0.0F);
  for_each_view(input, probe_->layer, space_.runs, [&](Index t, Index count, std::uint32_t position) {
    const std::vector<float> weights = attention_weights(queries.middleRows(t, count), position, space_.runs, heads,
                                                         config_.sliding_window, config_.query_head_dim());
    if (input.parents.empty()) {
      probe.attention = weights;
    } else {
      write_to_slots(weights, input.parents, static_cast<std::uint32_t>(t), probe);
    }
  });
  input.cache->find_runs(probe_->layer, end, space_.runs);
  copy_rows(space_.runs, &KvRun::keys, input.cache->row_width(), probe.keys);
  copy_rows(space_.runs, &KvRun::values, input.cache->value_width(), probe.values);
}

}  // namespace kvarium::cpu
