#include "cuda/runner/plain_model.h"

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/rotary.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cuda {
namespace {

Tensor tensor(const cpu::WeightMatrix& matrix) {
  if (matrix.empty()) return nullptr;
  return [&matrix] {
    const auto columns = static_cast<std::size_t>(matrix.columns);
    std::vector<float> numbers(matrix.numbers());
    for (cpu::Index row = 0; row < matrix.rows; ++row) {
      cpu::dequantize_row(matrix.type, matrix.row(row), matrix.columns,
                          numbers.data() + static_cast<std::size_t>(row) * columns);
    }
    return numbers;
  };
}

Tensor tensor(const cpu::Vector& vector) {
  if (vector.size() == 0) return nullptr;
  return [&vector] { return std::vector<float>(vector.data(), vector.data() + vector.size()); };
}

void expect_known(const cpu::ModelConfig& config) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(tr_format("the model {} cannot run on the kernels, which do not compute {}: run it without them",
                               config.shape.name, what));
  };
  if (config.norm != cpu::NormKind::rms) refuse("LayerNorm");
  if (config.feed_forward != cpu::FeedForward::swiglu) refuse("GELU");
  if (config.positions != cpu::Positions::rotary) refuse("learned positions");
  if (config.sliding_window != 0) refuse("a sliding window");
  if (config.latent()) refuse("a latent cache");
  if (config.output_bias || config.ffn_bias) refuse("a bias behind attention or in the feed-forward part");
}

PlainLayer plain_layer(const cpu::LayerWeights& layer) {
  PlainLayer plain;
  plain.attention_norm = tensor(layer.attention_norm);
  plain.query = tensor(layer.query);
  plain.query_bias = tensor(layer.query_bias);
  plain.key = tensor(layer.key);
  plain.key_bias = tensor(layer.key_bias);
  plain.value = tensor(layer.value);
  plain.value_bias = tensor(layer.value_bias);
  plain.query_norm = tensor(layer.query_norm);
  plain.key_norm = tensor(layer.key_norm);
  plain.output = tensor(layer.output);
  plain.ffn_norm = tensor(layer.ffn_norm);
  plain.gate = tensor(layer.gate);
  plain.up = tensor(layer.up);
  plain.down = tensor(layer.down);
  return plain;
}

}  // namespace

PlainModel plain_model(const cpu::Model& model) {
  expect_known(model.config);
  PlainModel plain;
  plain.shape = model.config.shape;
  plain.ffn_hidden = model.config.ffn_hidden;
  plain.norm_epsilon = model.config.norm_epsilon;
  plain.rotates_neighbours = model.config.rope_pairs == cpu::RopePairs::interleaved;
  plain.rope_frequencies = cpu::rope_frequencies(model.config);
  plain.embedding = tensor(model.weights.embedding);
  for (const cpu::LayerWeights& layer : model.weights.layers) plain.layers.push_back(plain_layer(layer));
  plain.final_norm = tensor(model.weights.final_norm);
  if (!model.config.tied_head) plain.head = tensor(model.weights.head);
  return plain;
}

}  // namespace kvarium::cuda
