#include "cpu_reference/loaders/llama_weights.h"

#include <fmt/format.h>

namespace kvarium::cpu {

const LlamaNames& hugging_face_names() {
  static const LlamaNames kNames{.embedding = "model.embed_tokens",
                                 .final_norm = "model.norm",
                                 .head = "lm_head",
                                 .layer = "model.layers.{}.",
                                 .attention_norm = "input_layernorm",
                                 .query = "self_attn.q_proj",
                                 .key = "self_attn.k_proj",
                                 .value = "self_attn.v_proj",
                                 .output = "self_attn.o_proj",
                                 .query_norm = "self_attn.q_norm",
                                 .key_norm = "self_attn.k_norm",
                                 .ffn_norm = "post_attention_layernorm",
                                 .gate = "mlp.gate_proj",
                                 .up = "mlp.up_proj",
                                 .down = "mlp.down_proj",
                                 .latent_down = "self_attn.kv_a_proj_with_mqa",
                                 .latent_norm = "self_attn.kv_a_layernorm",
                                 .latent_up = "self_attn.kv_b_proj"};
  return kNames;
}

const LlamaNames& gguf_names() {
  static const LlamaNames kNames{.embedding = "token_embd",
                                 .final_norm = "output_norm",
                                 .head = "output",
                                 .layer = "blk.{}.",
                                 .attention_norm = "attn_norm",
                                 .query = "attn_q",
                                 .key = "attn_k",
                                 .value = "attn_v",
                                 .output = "attn_output",
                                 .query_norm = "attn_q_norm",
                                 .key_norm = "attn_k_norm",
                                 .ffn_norm = "ffn_norm",
                                 .gate = "ffn_gate",
                                 .up = "ffn_up",
                                 .down = "ffn_down"};
  return kNames;
}

namespace {

/// The tensors of one layer by what stands behind its prefix.
struct LayerTaker {
  WeightTaker& taker;
  std::string prefix;

  WeightMatrix matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns) const {
    return taker.matrix(prefix + name + ".weight", rows, columns);
  }
  Vector vector(const std::string& name, std::uint32_t size) const {
    return taker.vector(prefix + name + ".weight", size);
  }
  Vector bias(const std::string& name, std::uint32_t size) const { return taker.vector(prefix + name + ".bias", size); }
};

void take_keys_and_values(const LayerTaker& take, const ModelConfig& config, const LlamaNames& names,
                          LayerWeights& layer) {
  const std::uint32_t hidden = config.shape.hidden, kv_width = config.kv_width();
  layer.key = take.matrix(names.key, kv_width, hidden);
  layer.value = take.matrix(names.value, kv_width, hidden);
  if (config.qkv_bias) {
    layer.query_bias = take.bias(names.query, config.query_width());
    layer.key_bias = take.bias(names.key, kv_width);
    layer.value_bias = take.bias(names.value, kv_width);
  }
  if (config.qk_norm) {
    layer.query_norm = take.vector(names.query_norm, config.shape.head_dim);
    layer.key_norm = take.vector(names.key_norm, config.shape.head_dim);
  }
}

void take_latent(const LayerTaker& take, const ModelConfig& config, const LlamaNames& names, LayerWeights& layer) {
  const ModelShape& shape = config.shape;
  layer.latent_down = take.matrix(names.latent_down, shape.latent_dim + shape.rotary_key_dim, shape.hidden);
  layer.latent_norm = take.vector(names.latent_norm, shape.latent_dim);
  layer.latent_up =
      take.matrix(names.latent_up, shape.query_heads * (shape.head_dim + config.value_head_dim()), shape.latent_dim);
}

LayerWeights take_layer(WeightTaker& taker, const ModelConfig& config, const LlamaNames& names, std::uint32_t number) {
  const LayerTaker take{taker, fmt::format(fmt::runtime(names.layer), number)};
  const std::uint32_t hidden = config.shape.hidden, ffn = config.ffn_hidden;
  LayerWeights layer;
  layer.attention_norm = take.vector(names.attention_norm, hidden);
  layer.query = take.matrix(names.query, config.query_width(), hidden);
  const auto take_rest = config.latent() ? take_latent : take_keys_and_values;
  take_rest(take, config, names, layer);
  layer.output = take.matrix(names.output, hidden, config.attended_width());
  if (config.output_bias) layer.output_bias = take.bias(names.output, hidden);
  layer.ffn_norm = take.vector(names.ffn_norm, hidden);
  layer.gate = take.matrix(names.gate, ffn, hidden);
  layer.up = take.matrix(names.up, ffn, hidden);
  layer.down = take.matrix(names.down, hidden, ffn);
  return layer;
}

}  // namespace

Weights take_llama_weights(WeightTaker& taker, const ModelConfig& config, const LlamaNames& names) {
  const std::uint32_t hidden = config.shape.hidden, vocab = config.shape.vocab;
  Weights weights;
  weights.embedding = taker.matrix(names.embedding + ".weight", vocab, hidden);
  for (std::uint32_t l = 0; l < config.shape.layers; ++l) {
    weights.layers.push_back(take_layer(taker, config, names, l));
  }
  weights.final_norm = taker.vector(names.final_norm + ".weight", hidden);
  weights.head = config.tied_head ? weights.embedding : taker.matrix(names.head + ".weight", vocab, hidden);
  weights.memory = taker.memory();
  return weights;
}

}  // namespace kvarium::cpu
