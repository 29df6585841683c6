// The attention of a layer with latent attention (DeepSeek-V2, section 2.1).

#include <algorithm>

#include "cpu_reference/attention/latent_paged.h"
#include "cpu_reference/attention/latent_rows.h"
#include "cpu_reference/attention/naive.h"
#include "cpu_reference/model/pass.h"
#include "cpu_reference/model/tree_views.h"
#include "cpu_reference/operators/linear.h"
#include "cpu_reference/operators/rms_norm.h"

namespace kvarium::cpu {
namespace {

void write_to_cache(KvSequence& cache, std::uint32_t l, std::uint32_t first, const MatrixIn& rows) {
  for (Index t = 0; t < rows.rows(); ++t) {
    std::copy_n(rows.row(t).data(), rows.cols(), cache.row(l, first + static_cast<std::uint32_t>(t)).key);
  }
}

}  // namespace

/// Leaves the heads' results in `attended`. With a cache no key or value is ever computed: queries and sums go to the
/// width of the cached rows and back, of all sequences at once, so that the weights are read once.
void Pass::latent_attention(std::uint32_t l) {
  const LayerWeights& layer = weights_.layers[l];
  const LatentShape shape = latent_shape(config_);
  const bool cached = batch_.front().cache != nullptr;
  project_latent(layer);
  if (cached) absorb_queries(space_.queries, shape, layer.latent_up, space_.absorbed, space_.threads, shared_);
  Index row = 0;
  for (std::size_t i = 0; i < batch_.size(); row += Index{batch_[i].count()}, ++i) attend_latent(batch_[i], row, i, l);
  if (cached) unpack_sums(space_.latents, shape, layer.latent_up, space_.attended, space_.threads, shared_);
}

/// The queries, whose last rotary_key_dim numbers a head are rotated, and the rows to be cached,
/// [norm(W^DKV n) ; rope(W^KR n)].
void Pass::project_latent(const LayerWeights& layer) {
  linear(space_.normed, layer.query, space_.queries, space_.threads, shared_);
  linear(space_.normed, layer.latent_down, space_.keys, space_.threads, shared_);
  auto latents = space_.keys.leftCols(Index{config_.shape.latent_dim});
  rms_norm(latents, layer.latent_norm, config_.latent_norm_epsilon, latents, shared_);
  const std::uint32_t rotary = config_.shape.rotary_key_dim;
  rope(space_.keys.rightCols(Index{rotary}), rotary, space_.angles, config_.rope_pairs);
  for (std::uint32_t h = 0; h < config_.shape.query_heads; ++h) {
    const Index at = Index{h} * config_.query_head_dim() + config_.shape.head_dim;
    rope(space_.queries.middleCols(at, Index{rotary}), rotary, space_.angles, config_.rope_pairs);
  }
}

/// The attention of one sequence, whose tokens are rows [row, row + tokens).
void Pass::attend_latent(const SequenceInput& input, Index row, std::size_t sequence, std::uint32_t l) {
  const Index tokens = Index{input.count()};
  const LatentShape shape = latent_shape(config_);
  const auto rows = space_.keys.middleRows(row, tokens);
  if (input.cache == nullptr) {
    Matrix keys, values;
    unpack_latent(rows, shape, weights_.layers[l].latent_up, keys, values, space_.threads, shared_);
    const std::uint32_t heads = config_.shape.query_heads;
    space_.attended.middleRows(row, tokens) =
        attention_naive(space_.queries.middleRows(row, tokens), keys, values, {heads, heads, config_.query_head_dim()},
                        work_[sequence]);
    return;
  }
  const std::uint32_t first = input.first_position();
  write_to_cache(*input.cache, l, first, rows);
  for_each_view(input, l, space_.runs, [&](Index t, Index count, std::uint32_t position) {
    attention_latent_paged(space_.absorbed.middleRows(row + t, count), position, space_.runs, shape,
                           space_.latents.middleRows(row + t, count), space_.threads, work_[sequence]);
  });
  if (probe_ == nullptr || probe_->layer != l) return;
  const Heads over_rows{config_.shape.query_heads, 1, static_cast<std::uint32_t>(rows.cols())};
  report(input, space_.absorbed, row, over_rows, sequence);
}

}  // namespace kvarium::cpu
