#include "tests/support/seeded_model.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "cpu_reference/model/weights.h"

namespace kvarium_test {

using namespace kvarium;
using namespace kvarium::cpu;
namespace {

/// A number in [-1, 1) in steps of 2^-23, each a float exactly. Not std::uniform_real_distribution, whose numbers
/// differ between standard libraries; those of std::mt19937_64 are fixed by the C++ standard.
float draw(std::mt19937_64& draws) {
  const auto steps = static_cast<std::int32_t>(draws() >> 40);  // 24 bits
  return static_cast<float>(steps - (1 << 23)) * 0x1p-23F;
}

/// Uniform numbers with standard deviation gain / sqrt(inputs): outputs as large as the inputs, times gain.
void fill(const WeightMatrix& weight, float gain, std::mt19937_64& draws) {  // [outputs][inputs]
  const float limit = gain * std::sqrt(3.0F / static_cast<float>(weight.columns));
  Eigen::Map<Matrix> numbers = writable_f32(weight);
  for (Index o = 0; o < weight.rows; ++o) {
    for (Index i = 0; i < weight.columns; ++i) numbers(o, i) = limit * draw(draws);
  }
}

ModelConfig config_of(const SeededParams& params) {
  if (params.query_heads == 0 || params.hidden % params.query_heads != 0) {
    throw InputError(fmt::format("the seeded model: a width of {} cannot be divided into {} query heads", params.hidden,
                                 params.query_heads));
  }
  ModelConfig config;
  config.shape.name = "seeded";
  config.shape.layers = params.layers;
  config.shape.query_heads = params.query_heads;
  config.shape.kv_heads = params.kv_heads;
  config.shape.head_dim = params.hidden / params.query_heads;
  config.shape.hidden = params.hidden;
  config.shape.vocab = params.vocab;
  config.shape.context = params.context;
  config.ffn_hidden = params.ffn_hidden;
  config.tied_head = params.tied_head;
  if (params.latent_dim > 0) {
    config.shape.kv_kind = KvKind::latent;
    config.shape.latent_dim = params.latent_dim;
    config.shape.rotary_key_dim = params.rotary_key_dim;
    config.latent_value_dim = params.value_dim;
  }
  return config;
}

}  // namespace

std::shared_ptr<const Model> seeded_model(const SeededParams& params) {
  const auto model = std::make_shared<Model>(config_of(params), "the seeded model");
  Weights& weights = model->weights;
  std::mt19937_64 draws(params.seed);
  fill(weights.embedding, std::sqrt(static_cast<float>(params.hidden)), draws);  // entries of size 1
  for (LayerWeights& layer : weights.layers) {
    layer.attention_norm.setOnes();
    layer.ffn_norm.setOnes();
    // Queries and keys larger than a trained model's: sharp attention picks few tokens of the past, so that the next
    // token hangs on them and greedy decoding does not run into a loop.
    fill(layer.query, 2.0F, draws);
    if (params.latent_dim > 0) {
      fill(layer.latent_down, 2.0F, draws);
      layer.latent_norm.setOnes();
      fill(layer.latent_up, 1.0F, draws);
    } else {
      fill(layer.key, 2.0F, draws);
      fill(layer.value, 1.0F, draws);
    }
    fill(layer.output, 1.0F, draws);
    fill(layer.gate, 1.0F, draws);
    fill(layer.up, 1.0F, draws);
    fill(layer.down, 1.0F, draws);
  }
  weights.final_norm.setOnes();
  if (!params.tied_head) fill(weights.head, 1.0F, draws);
  for (const TokenId token : params.quiet_tokens) {
    if (params.tied_head || value(token) < 0 || index(token) >= params.vocab) {
      throw InputError(
          fmt::format("the seeded model: token {} cannot be quiet: it needs an untied head and a token "
                      "below {}",
                      value(token), params.vocab));
    }
    writable_f32(weights.head).row(value(token)).setZero();
  }
  return model;
}

}  // namespace kvarium_test
