#include "cpu_reference/loaders/model_facts.h"

#include <utility>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {
namespace {

/// "210 Q4_1, 61 F32"
std::string types_in_words(const std::map<std::string, int>& counts) {
  std::string words;
  for (const auto& [type, count] : counts) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, type);
  return words;
}

std::string positions_in_words(const ModelConfig& config) {
  if (config.positions == Positions::learned) return std::string(tr("learned positions"));
  std::string words = tr_format("rotary base {}", config.rope_theta);
  const RopeScaling& scaling = config.rope_scaling;
  if (scaling.kind == RopeScaling::Kind::linear) words += tr_format(", positions / {}", scaling.factor);
  if (scaling.kind == RopeScaling::Kind::llama3) words += tr_format(", slow frequencies / {}", scaling.factor);
  if (!config.rope_freq_factors.empty()) words += std::string(tr(", a factor for each frequency"));
  if (config.sliding_window > 0) words += tr_format(", a sliding window of {} tokens", config.sliding_window);
  return words;
}

std::string parts_in_words(const ModelConfig& config) {
  std::string words(config.norm == NormKind::layer ? tr("LayerNorm") : tr("RMSNorm"));
  words += config.feed_forward == FeedForward::gelu ? ", GELU" : ", SwiGLU";
  if (config.qkv_bias) words += std::string(tr(", biases of query, key and value"));
  if (config.qk_norm) words += std::string(tr(", norms of query and key"));
  words += std::string(config.tied_head ? tr(", the output head is the embedding") : tr(", an output head of its own"));
  return words;
}

/// The widths of the layers and their heads.
std::string shape_in_words(const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  if (config.latent()) {
    return tr_format(
        "{} layers of width {}, {} query heads of {} and {} rotated over one latent row of {} and {}, feed-forward {}",
        shape.layers, shape.hidden, shape.query_heads, shape.head_dim, shape.rotary_key_dim, shape.latent_dim,
        shape.rotary_key_dim, config.ffn_hidden);
  }
  return tr_format("{} layers of width {}, {} query heads over {} KV heads of {}, feed-forward {}", shape.layers,
                   shape.hidden, shape.query_heads, shape.kv_heads, shape.head_dim, config.ffn_hidden);
}

std::string tokenizer_in_words(const Tokenizer& tokenizer) {
  std::string words = tr_format("tokenizer: {} tokens", with_commas(tokenizer.vocab()));
  if (tokenizer.begin()) words += tr_format(", begin {}", tokenizer.name(*tokenizer.begin()));
  std::string ends;
  for (const TokenId end : tokenizer.end_tokens()) ends += (ends.empty() ? "" : " ") + tokenizer.name(end);
  if (!ends.empty()) words += tr_format(", end {}", ends);
  if (!tokenizer.chat_template().empty()) words += std::string(tr(", with a template for chats"));
  return words;
}

}  // namespace

std::vector<std::string> model_facts(const LoadedModel& loaded, const Tokenizer& tokenizer) {
  const ModelConfig& config = loaded.model->config;
  const ModelShape& shape = config.shape;
  return {
      tr_format("{}: {} of {}", shape.name, loaded.format, loaded.architecture),
      shape_in_words(config),
      tr_format("{} parameters; tensors: {}; {} mapped, {} copied", with_commas(num_parameters(config)),
                types_in_words(loaded.type_counts), binary_size(loaded.mapped_bytes), binary_size(loaded.copied_bytes)),
      tr_format("a context of {} tokens, {}", with_commas(shape.context), positions_in_words(config)),
      parts_in_words(config),
      tokenizer_in_words(tokenizer),
  };
}

LoadedModel describe_llama2c(std::shared_ptr<const Model> model) {
  LoadedModel loaded;
  loaded.format = std::string(tr("a llama2.c checkpoint"));
  loaded.architecture = "llama";
  const auto layers = static_cast<int>(model->config.shape.layers);
  // The embedding, 7 matrices a layer, and the classifier where it is not the embedding; norms are not counted.
  loaded.type_counts["F32"] = 7 * layers + (model->config.tied_head ? 1 : 2);
  loaded.copied_bytes = matrix_bytes(model->weights);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace kvarium::cpu
