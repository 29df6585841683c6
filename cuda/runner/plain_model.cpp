#include "cuda/runner/plain_model.h"

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/rotary.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cuda {
namespace {

/// Of each `stride` rows of a matrix the `count` from `first` on.
Tensor rows_of(const cpu::WeightMatrix& matrix, cpu::Index stride, cpu::Index first, cpu::Index count) {
  if (matrix.empty()) return nullptr;
  return [&matrix, stride, first, count] {
    const auto columns = static_cast<std::size_t>(matrix.columns);
    std::vector<float> numbers(static_cast<std::size_t>(matrix.rows / stride * count) * columns);
    float* to = numbers.data();
    for (cpu::Index row = 0; row < matrix.rows; ++row) {
      if (row % stride < first || row % stride >= first + count) continue;
      cpu::dequantize_row(matrix.type, matrix.row(row), matrix.columns, to);
      to += columns;
    }
    return numbers;
  };
}

Tensor tensor(const cpu::WeightMatrix& matrix) { return rows_of(matrix, matrix.rows, 0, matrix.rows); }

/// Matrices of [rows][columns], one behind the other, each transposed.
Tensor transposed(Tensor matrices, std::size_t rows, std::size_t columns) {
  return [matrices = std::move(matrices), rows, columns] {
    const std::vector<float> numbers = matrices();
    std::vector<float> turned(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t row = i / columns % rows, column = i % columns;
      turned[i / (rows * columns) * (rows * columns) + column * rows + row] = numbers[i];
    }
    return turned;
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
  if (config.output_bias || config.ffn_bias) refuse("a bias behind attention or in the feed-forward part");
}

/// The matrices of latent attention, cut where their rows go different ways.
void add_latent(PlainLayer& plain, const cpu::LayerWeights& layer, const cpu::ModelConfig& config) {
  const cpu::Index head = config.shape.head_dim, rotary = config.shape.rotary_key_dim, latent = config.shape.latent_dim,
                   value = config.value_head_dim();
  plain.query = rows_of(layer.query, head + rotary, 0, head);
  plain.query_rotary = rows_of(layer.query, head + rotary, head, rotary);
  plain.latent_down = rows_of(layer.latent_down, latent + rotary, 0, latent);
  plain.key_rotary = rows_of(layer.latent_down, latent + rotary, latent, rotary);
  plain.latent_norm = tensor(layer.latent_norm);
  plain.absorb =
      transposed(rows_of(layer.latent_up, head + value, 0, head), config.shape.head_dim, config.shape.latent_dim);
  plain.unpack = rows_of(layer.latent_up, head + value, head, value);
}

PlainLayer plain_layer(const cpu::LayerWeights& layer, const cpu::ModelConfig& config) {
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
  if (config.latent()) add_latent(plain, layer, config);
  return plain;
}

}  // namespace

PlainModel plain_model(const cpu::Model& model) {
  expect_known(model.config);
  PlainModel plain;
  plain.shape = model.config.shape;
  plain.ffn_hidden = model.config.ffn_hidden;
  plain.value_dim = model.config.value_head_dim();
  plain.norm_epsilon = model.config.norm_epsilon;
  plain.latent_norm_epsilon = model.config.latent_norm_epsilon;
  plain.rotates_neighbours = model.config.rope_pairs == cpu::RopePairs::interleaved;
  plain.rope_frequencies = cpu::rope_frequencies(model.config);
  plain.embedding = tensor(model.weights.embedding);
  for (const cpu::LayerWeights& layer : model.weights.layers) plain.layers.push_back(plain_layer(layer, model.config));
  plain.final_norm = tensor(model.weights.final_norm);
  if (!model.config.tied_head) plain.head = tensor(model.weights.head);
  return plain;
}

}  // namespace kvarium::cuda
