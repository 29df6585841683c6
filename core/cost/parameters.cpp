#include "core/cost/parameters.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// What a ModelShape does not say about the other matrices.
struct Widths {
  std::string_view name;
  double ffn;       ///< hidden width of the feed-forward network
  double matrices;  ///< it has: up and down, or with a gate three
  bool tied;        ///< the output head is the embedding
  bool learned_positions = false;
};

constexpr Widths kDense[] = {
    {"gpt-2-small", 3072, 2, true, true}, {"gpt-2-medium", 4096, 2, true, true}, {"gpt-2-large", 5120, 2, true, true},
    {"gpt-2-xl", 6400, 2, true, true},    {"gpt-3-175b", 49152, 2, true, true},  {"llama-2-7b", 11008, 3, false},
    {"llama-2-13b", 13824, 3, false},     {"llama-2-70b", 28672, 3, false},      {"llama-3.1-8b", 14336, 3, false},
    {"llama-3.1-70b", 28672, 3, false},   {"llama-3.1-405b", 53248, 3, false},   {"mistral-7b", 14336, 3, false},
    {"qwen2.5-0.5b", 4864, 3, true},      {"qwen2.5-1.5b", 8960, 3, true},       {"qwen2.5-3b", 11008, 3, true},
    {"qwen2.5-7b", 18944, 3, false},      {"qwen2.5-14b", 13824, 3, false},      {"qwen2.5-32b", 27648, 3, false},
    {"qwen2.5-72b", 29568, 3, false},     {"qwen3-0.6b", 3072, 3, true},         {"qwen3-1.7b", 6144, 3, true},
    {"qwen3-4b", 9728, 3, true},          {"qwen3-8b", 12288, 3, false},         {"qwen3-14b", 17408, 3, false},
    {"qwen3-32b", 25600, 3, false},       {"falcon-7b", 18176, 2, true},
};

/// A mixture of experts: after the first layers, which are dense, each layer has shared experts for every token and
/// routed ones.
struct Experts {
  std::string_view name;
  double dense_layers, dense_ffn, expert_ffn, shared, routed, a_token;
};

constexpr Experts kMixtures[] = {
    {"deepseek-v2", 1, 12288, 1536, 2, 160, 6},
    {"deepseek-v3", 3, 18432, 2048, 1, 256, 8},
};

constexpr double kQueryRank = 1536;  // of DeepSeek-V2 and -V3: queries are compressed too

/// Matrices of one layer's attention.
double attention(const ModelShape& shape, double query_rank) {
  const double hidden = shape.hidden, width = double{1} * shape.query_heads * shape.head_dim;
  if (shape.kv_kind == KvKind::heads) {
    return hidden * (2 * width + 2.0 * shape.kv_heads * shape.head_dim);  // Q and output; K and V
  }
  // DeepSeek-V2, equations 9 to 19: down to the latent row and the rotary key, up to each head's K and V.
  const double query_width = width + 1.0 * shape.query_heads * shape.rotary_key_dim;
  const double query = query_rank == 0 ? hidden * query_width : query_rank * (hidden + query_width);
  return query + hidden * (shape.latent_dim + shape.rotary_key_dim) + shape.latent_dim * 2 * width + width * hidden;
}

ParameterCount dense(const ModelShape& shape, const Widths& widths) {
  const double hidden = shape.hidden;
  const double a_layer = attention(shape, 0) + widths.matrices * hidden * widths.ffn;
  const double table = hidden * shape.vocab;
  const double positions = widths.learned_positions ? hidden * shape.context : 0;
  return {(widths.tied ? 0 : table) + positions, shape.layers * a_layer, table, 0, 0, 0};
}

ParameterCount mixture(const ModelShape& shape, const Experts& mix) {
  const double hidden = shape.hidden, expert = 3 * hidden * mix.expert_ffn, layers = shape.layers - mix.dense_layers;
  const double always = shape.layers * attention(shape, kQueryRank) + mix.dense_layers * 3 * hidden * mix.dense_ffn +
                        layers * (mix.shared * expert + mix.routed * hidden);
  const double table = hidden * shape.vocab;
  return {table, always, table, layers * mix.routed * expert, mix.routed, mix.a_token};
}

}  // namespace

double ParameterCount::read_by(double tokens) const {
  if (routed == 0) return always + head;
  return always + head + routed * (1 - std::pow(1 - experts_a_token / experts, tokens));
}

ParameterCount parameters_of(const ModelShape& shape) {
  for (const Widths& widths : kDense) {
    if (widths.name == shape.name) return dense(shape, widths);
  }
  for (const Experts& mix : kMixtures) {
    if (mix.name == shape.name) return mixture(shape, mix);
  }
  throw InputError(tr_format("how many parameters '{}' has is not known here", shape.name));
}

}  // namespace kvarium
