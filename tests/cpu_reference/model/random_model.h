#pragma once
// Models of every family with random weights: what the seeded model does not vary.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"

namespace kvarium_test {

/// Every weight random, the norms around 1, the biases around 0.
inline kvarium::cpu::Model random_model(const kvarium::cpu::ModelConfig& config, std::uint64_t seed) {
  using kvarium::cpu::LayerWeights;
  using kvarium::cpu::Vector;
  kvarium::cpu::Model model(config, "test");
  std::mt19937_64 draws(seed);
  const auto matrix = [&](const kvarium::cpu::WeightMatrix& weight) {
    if (weight.empty()) return;
    kvarium::cpu::writable_f32(weight) =
        random_matrix(weight.rows, weight.columns, draws) * std::sqrt(3.0F / static_cast<float>(weight.columns));
  };
  const auto around = [&](float middle, Vector& weight) {
    weight = middle + 0.5F * random_matrix(weight.size(), 1, draws).array();
  };
  matrix(model.weights.embedding);
  matrix(model.weights.position_embedding);
  for (LayerWeights& layer : model.weights.layers) {
    for (Vector* norm :
         {&layer.attention_norm, &layer.ffn_norm, &layer.query_norm, &layer.key_norm, &layer.latent_norm}) {
      around(1, *norm);
    }
    for (Vector* bias : {&layer.attention_norm_bias, &layer.ffn_norm_bias, &layer.query_bias, &layer.key_bias,
                         &layer.value_bias, &layer.output_bias, &layer.up_bias, &layer.down_bias}) {
      around(0, *bias);
    }
    for (const auto member : kvarium::cpu::kLayerMatrices) matrix(layer.*member);
  }
  around(1, model.weights.final_norm);
  around(0, model.weights.final_norm_bias);
  if (!config.tied_head) matrix(model.weights.head);
  return model;
}

/// 4 query heads over 2 KV heads of 6, 2 layers: the plain Llama, to be changed.
inline kvarium::cpu::ModelConfig small_llama() {
  kvarium::cpu::ModelConfig config;
  config.shape = {"small", 2, 4, 2, 6, 20, 53, 40, kvarium::KvKind::heads, 0, 0};
  config.ffn_hidden = 37;
  config.rope_theta = 500.0F;
  config.norm_epsilon = 0.1F;
  config.tied_head = false;
  return config;
}

/// The same heads over a latent row.
inline void make_latent(kvarium::cpu::ModelConfig& config, std::uint32_t latent_dim, std::uint32_t rotary_key_dim) {
  config.shape.kv_kind = kvarium::KvKind::latent;
  config.shape.kv_heads = config.shape.query_heads;
  config.shape.latent_dim = latent_dim;
  config.shape.rotary_key_dim = rotary_key_dim;
  config.latent_norm_epsilon = 0.1F;
}

struct Family {
  std::string name;
  kvarium::cpu::ModelConfig config;
};

/// One of each family and of each setting that the loaders can make.
inline std::vector<Family> families() {
  using namespace kvarium::cpu;
  std::vector<Family> all;
  const auto add = [&](const char* name, auto change) {
    ModelConfig config = small_llama();
    change(config);
    all.push_back({name, config});
  };
  add("Llama, interleaved pairs", [](ModelConfig&) {});
  add("Llama, tied head, pairs of halves", [](ModelConfig& c) {
    c.tied_head = true;
    c.rope_pairs = RopePairs::halves;
  });
  add("Llama 3.1, scaled rotations", [](ModelConfig& c) {
    c.rope_scaling = {RopeScaling::Kind::llama3, 8.0F, 1.0F, 4.0F, 32};
  });
  add("Llama, linear scaling and frequency factors", [](ModelConfig& c) {
    c.rope_scaling = {RopeScaling::Kind::linear, 4.0F, 1.0F, 4.0F, 0};
    c.rope_freq_factors = {1.0F, 2.0F, 0.5F};
  });
  add("partial rotation", [](ModelConfig& c) {
    c.rotary_dim = 4;
    c.rope_pairs = RopePairs::halves;
  });
  add("Mistral, a window of 5", [](ModelConfig& c) { c.sliding_window = 5; });
  add("Qwen2, biases", [](ModelConfig& c) { c.qkv_bias = true; });
  add("Qwen3, norms of the heads", [](ModelConfig& c) {
    c.qk_norm = true;
    c.rope_pairs = RopePairs::halves;
  });
  add("DeepSeek-V2, latent attention", [](ModelConfig& c) {
    make_latent(c, 10, 4);
    c.latent_value_dim = 5;
  });
  add("latent attention, values as wide as keys, pairs of halves", [](ModelConfig& c) {
    make_latent(c, 17, 2);
    c.rope_pairs = RopePairs::halves;
    c.latent_norm_epsilon = 0.2F;
  });
  add("GPT-2", [](ModelConfig& c) {
    c.norm = NormKind::layer;
    c.feed_forward = FeedForward::gelu;
    c.positions = Positions::learned;
    c.qkv_bias = c.output_bias = c.ffn_bias = c.tied_head = true;
    c.shape.kv_heads = c.shape.query_heads;
  });
  return all;
}

}  // namespace kvarium_test
