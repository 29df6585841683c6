#include "cpu_reference/model/config.h"

#include <cmath>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/attention/paged.h"

namespace kvarium::cpu {
namespace {

// The largest models of 2025 stay well below. The product of layers, heads, head_dim and hidden is below 2^56.
constexpr std::uint32_t kMaxLayers = 1U << 12;
constexpr std::uint32_t kMaxHeads = 1U << 12;
constexpr std::uint32_t kMaxHeadDim = kMaxPagedHeadDim;
constexpr std::uint32_t kMaxWidth = 1U << 20;
constexpr std::uint32_t kMaxVocab = 1U << 24;
constexpr std::uint32_t kMaxContext = 1U << 24;

void check_range(const std::string& where, const char* field, std::uint32_t value, std::uint32_t high) {
  if (value >= 1 && value <= high) return;
  throw InputError(tr_format("{}: {} is {}, and must be from 1 to {}: the file or the setting is damaged", where,
                             tr(field), value, high));
}

bool finite_from(float value, float low) { return value >= low && std::isfinite(value); }

void check_scaling(const RopeScaling& scaling, const std::string& where) {
  if (scaling.kind == RopeScaling::Kind::none) return;
  if (!finite_from(scaling.factor, 1.0F)) {
    throw InputError(
        tr_format("{}: the factor of the rotary scaling is {}, and must be at least 1", where, scaling.factor));
  }
  if (scaling.kind != RopeScaling::Kind::llama3) return;
  check_range(where, "the original context of the rotary scaling", scaling.original_context, kMaxContext);
  if (!(scaling.low_freq_factor > 0.0F) || !(scaling.high_freq_factor > scaling.low_freq_factor) ||
      !std::isfinite(scaling.high_freq_factor)) {
    throw InputError(
        tr_format("{}: the rotary scaling's frequency factors are {} and {}: the first must be above 0, the "
                  "second above the first",
                  where, scaling.low_freq_factor, scaling.high_freq_factor));
  }
}

void check_rotary(const ModelConfig& config, const std::string& where) {
  const std::uint32_t width = config.rotated_width();
  if (width % 2 != 0) {
    throw InputError(
        tr_format("{}: {} numbers of a head are rotated, and rotary positions need an even width", where, width));
  }
  if (!config.latent() && width > config.shape.head_dim) {
    throw InputError(tr_format("{}: {} numbers of a head are rotated, and a head has {}: the file is damaged", where,
                               width, config.shape.head_dim));
  }
  if (!finite_from(config.rope_theta, 1.0F)) {
    throw InputError(tr_format("{}: the rotary base is {}, and must be at least 1", where, config.rope_theta));
  }
  check_scaling(config.rope_scaling, where);
  if (config.rope_freq_factors.empty()) return;
  if (config.rope_freq_factors.size() != width / 2) {
    throw InputError(tr_format("{}: {} rotary frequency factors for {} frequencies: the file is damaged", where,
                               config.rope_freq_factors.size(), width / 2));
  }
  for (const float factor : config.rope_freq_factors) {
    if (factor > 0.0F && std::isfinite(factor)) continue;
    throw InputError(tr_format("{}: a rotary frequency factor is {}, and must be above 0", where, factor));
  }
}

void check_latent(const ModelConfig& config, const std::string& where) {
  const ModelShape& shape = config.shape;
  check_range(where, "the width of the latent row", shape.latent_dim, kMaxWidth);
  check_range(where, "the width of the rotated key", shape.rotary_key_dim, kMaxHeadDim);
  check_range(where, "the width of a value", config.value_head_dim(), kMaxHeadDim);
  const bool plain = config.positions == Positions::rotary && config.rotary_dim == 0 && !config.qkv_bias &&
                     !config.output_bias && !config.qk_norm && config.sliding_window == 0;
  if (!plain) {
    throw InputError(
        tr_format("{}: latent attention (MLA) runs here with rotary positions, without biases, norms of the heads, "
                  "partial rotation and window: choose another model",
                  where));
  }
  if (shape.kv_heads != shape.query_heads) {
    throw InputError(tr_format("{}: {} KV heads for {} query heads: with latent attention each query head has its own",
                               where, shape.kv_heads, shape.query_heads));
  }
  if (!(config.latent_norm_epsilon > 0.0F) || !std::isfinite(config.latent_norm_epsilon)) {
    throw InputError(
        tr_format("{}: the latent norm's epsilon is {}, and must be above 0", where, config.latent_norm_epsilon));
  }
}

}  // namespace

void check(const ModelConfig& config, const std::string& where) {
  const ModelShape& shape = config.shape;
  check_range(where, "the number of layers", shape.layers, kMaxLayers);
  check_range(where, "the number of query heads", shape.query_heads, kMaxHeads);
  check_range(where, "the number of KV heads", shape.kv_heads, kMaxHeads);
  check_range(where, "the width of a head", shape.head_dim, kMaxHeadDim);
  check_range(where, "the width of the model", shape.hidden, kMaxWidth);
  check_range(where, "the width of the feed-forward layer", config.ffn_hidden, kMaxWidth);
  check_range(where, "the size of the vocabulary", shape.vocab, kMaxVocab);
  check_range(where, "the longest context", shape.context, kMaxContext);
  if (shape.query_heads % shape.kv_heads != 0) {
    throw InputError(
        tr_format("{}: {} query heads cannot share {} KV heads evenly: the first must be a multiple of "
                  "the second",
                  where, shape.query_heads, shape.kv_heads));
  }
  if (config.latent()) check_latent(config, where);
  if (config.positions == Positions::rotary) check_rotary(config, where);
  if (!(config.norm_epsilon > 0.0F) || !std::isfinite(config.norm_epsilon)) {
    throw InputError(tr_format("{}: the norm's epsilon is {}, and must be above 0", where, config.norm_epsilon));
  }
}

ModelConfig checked(const ModelConfig& config, const std::string& where) {
  check(config, where);
  return config;
}

namespace {

/// Of the attention of one layer.
std::uint64_t attention_parameters(const ModelConfig& config) {
  const std::uint64_t hidden = config.shape.hidden, q = config.query_width(), kv = config.kv_width();
  if (config.latent()) {
    const std::uint64_t latent = config.shape.latent_dim, heads = config.shape.query_heads;
    return hidden * (q + latent + config.shape.rotary_key_dim + config.attended_width()) + latent +
           latent * heads * (config.shape.head_dim + config.value_head_dim());
  }
  return 2 * hidden * (q + kv) + (config.qkv_bias ? q + 2 * kv : 0) + (config.output_bias ? hidden : 0) +
         (config.qk_norm ? 2 * std::uint64_t{config.shape.head_dim} : 0);
}

}  // namespace

std::uint64_t num_parameters(const ModelConfig& config) {
  const std::uint64_t hidden = config.shape.hidden, ffn = config.ffn_hidden;
  const std::uint64_t norm = hidden * (config.norm == NormKind::layer ? 2 : 1);
  const std::uint64_t attention = attention_parameters(config);
  const std::uint64_t feed_forward =
      (config.feed_forward == FeedForward::swiglu ? 3 : 2) * hidden * ffn + (config.ffn_bias ? ffn + hidden : 0);
  const std::uint64_t tables = (config.tied_head ? 1 : 2) * hidden * config.shape.vocab +
                               (config.positions == Positions::learned ? hidden * config.shape.context : 0);
  return config.shape.layers * (attention + feed_forward + 2 * norm) + norm + tables;
}

}  // namespace kvarium::cpu
