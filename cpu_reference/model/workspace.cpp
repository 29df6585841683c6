#include "cpu_reference/model/workspace.h"

#include <algorithm>
#include <thread>

#include "cpu_reference/model/weights.h"

namespace kvarium::cpu {

std::uint32_t suitable_threads(const Weights& weights) {
  constexpr std::uint64_t kWorthSharing = 16U << 20U;  // bytes: reading them takes a millisecond or more
  constexpr std::uint32_t kMost = 16;                  // memory is busy before that
  if (matrix_bytes(weights) < kWorthSharing) return 1;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

void Workspace::fit(const ModelConfig& config, Index tokens, Index logit_rows) {
  const Index hidden = config.shape.hidden, ffn = config.ffn_hidden;
  const Index pairs = config.positions == Positions::rotary ? config.rotated_width() / 2 : 0;
  angles.cosines.resize(tokens, pairs);
  angles.sines.resize(tokens, pairs);
  for (Matrix* matrix : {&x, &normed, &added}) matrix->resize(tokens, hidden);
  queries.resize(tokens, Index{config.query_width()});
  keys.resize(tokens, static_cast<Index>(key_row_width(config.shape)));
  values.resize(tokens, static_cast<Index>(value_row_width(config.shape)));
  const Index latent_heads = config.latent() ? config.shape.query_heads : 0;
  absorbed.resize(tokens, latent_heads * keys.cols());
  latents.resize(tokens, latent_heads * Index{config.shape.latent_dim});
  attended.resize(tokens, Index{config.attended_width()});
  gate.resize(tokens, config.feed_forward == FeedForward::swiglu ? ffn : 0);
  up.resize(tokens, ffn);
  last.resize(logit_rows, hidden);
  logits.resize(logit_rows, Index{config.shape.vocab});
}

}  // namespace kvarium::cpu
