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
                                 .down = "mlp.down_proj"};
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

LayerWeights take_layer(WeightTaker& taker, const ModelConfig& config, const LlamaNames& names, std::uint32_t number) {
  const std::string prefix = fmt::format(fmt::runtime(names.layer), number);
  const auto matrix = [&](const std::string& name, std::uint32_t rows, std::uint32_t columns) {
    return taker.matrix(prefix + name + ".weight", rows, columns);
  };
  const auto vector = [&](const std::string& name, std::uint32_t size) {
    return taker.vector(prefix + name + ".weight", size);
  };
  const auto bias = [&](const std::string& name, std::uint32_t size) {
    return taker.vector(prefix + name + ".bias", size);
  };
  const std::uint32_t hidden = config.shape.hidden, ffn = config.ffn_hidden;
  const std::uint32_t query_width = config.query_width(), kv_width = config.kv_width();
  LayerWeights layer;
  layer.attention_norm = vector(names.attention_norm, hidden);
  layer.query = matrix(names.query, query_width, hidden);
  layer.key = matrix(names.key, kv_width, hidden);
  layer.value = matrix(names.value, kv_width, hidden);
  layer.output = matrix(names.output, hidden, query_width);
  if (config.qkv_bias) {
    layer.query_bias = bias(names.query, query_width);
    layer.key_bias = bias(names.key, kv_width);
    layer.value_bias = bias(names.value, kv_width);
  }
  if (config.output_bias) layer.output_bias = bias(names.output, hidden);
  if (config.qk_norm) {
    layer.query_norm = vector(names.query_norm, config.shape.head_dim);
    layer.key_norm = vector(names.key_norm, config.shape.head_dim);
  }
  layer.ffn_norm = vector(names.ffn_norm, hidden);
  layer.gate = matrix(names.gate, ffn, hidden);
  layer.up = matrix(names.up, ffn, hidden);
  layer.down = matrix(names.down, hidden, ffn);
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
