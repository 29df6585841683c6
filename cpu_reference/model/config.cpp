#include "cpu_reference/model/config.h"

#include <cmath>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

// The largest models of 2025 stay well below. The product of layers, heads, head_dim and hidden is below 2^56.
constexpr std::uint32_t kMaxLayers = 1U << 12;
constexpr std::uint32_t kMaxHeads = 1U << 12;
constexpr std::uint32_t kMaxHeadDim = 1U << 12;
constexpr std::uint32_t kMaxWidth = 1U << 20;
constexpr std::uint32_t kMaxVocab = 1U << 24;
constexpr std::uint32_t kMaxContext = 1U << 24;

void check_range(const std::string& where, const char* field, std::uint32_t value, std::uint32_t high) {
  if (value >= 1 && value <= high) return;
  throw InputError(tr_format("{}: {} is {}, and must be from 1 to {}: the file or the setting is damaged", where,
                             tr(field), value, high));
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
  if (shape.head_dim % 2 != 0) {
    throw InputError(
        tr_format("{}: a head is {} numbers wide, and rotary positions need an even width", where, shape.head_dim));
  }
  if (shape.kv_kind != KvKind::heads) {
    throw InputError(
        tr_format("{}: a model with latent attention (MLA) cannot run here: choose one with KV heads", where));
  }
  if (!(config.rope_theta >= 1.0F) || !std::isfinite(config.rope_theta)) {
    throw InputError(tr_format("{}: the rotary base is {}, and must be at least 1", where, config.rope_theta));
  }
  if (!(config.norm_epsilon > 0.0F) || !std::isfinite(config.norm_epsilon)) {
    throw InputError(tr_format("{}: the norm's epsilon is {}, and must be above 0", where, config.norm_epsilon));
  }
}

ModelConfig checked(const ModelConfig& config, const std::string& where) {
  check(config, where);
  return config;
}

std::uint64_t num_parameters(const ModelConfig& config) {
  const std::uint64_t hidden = config.shape.hidden;
  const std::uint64_t attention = 2 * hidden * (std::uint64_t{config.query_width()} + config.kv_width());
  const std::uint64_t feed_forward = 3 * hidden * config.ffn_hidden;
  const std::uint64_t norms = 2 * hidden;
  const std::uint64_t tables = (config.tied_head ? 1 : 2) * hidden * config.shape.vocab;
  return config.shape.layers * (attention + feed_forward + norms) + hidden + tables;
}

}  // namespace kvarium::cpu
