#include "cpu_reference/model/weights.h"

#include <array>
#include <iterator>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/aligned_buffer.h"

namespace kvarium::cpu {
namespace {

/// The shape that a config gives a piece; 0 rows or numbers: the model does not have it.
struct LayerMatrix {
  const char* name;
  WeightMatrix LayerWeights::*member;
  std::uint32_t rows;
  std::uint32_t columns;
};
struct LayerVector {
  const char* name;
  Vector LayerWeights::*member;
  std::uint32_t size;
};

std::array<LayerMatrix, std::size(kLayerMatrices)> layer_matrices(const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  const std::uint32_t hidden = shape.hidden, ffn = config.ffn_hidden;
  const std::uint32_t gate = config.feed_forward == FeedForward::swiglu ? ffn : 0;
  const std::uint32_t kv = config.latent() ? 0 : config.kv_width();
  const std::uint32_t down = config.latent() ? shape.latent_dim + shape.rotary_key_dim : 0;
  const std::uint32_t up = config.latent() ? shape.query_heads * (shape.head_dim + config.value_head_dim()) : 0;
  return {{{"the query projection", &LayerWeights::query, config.query_width(), hidden},
           {"the key projection", &LayerWeights::key, kv, hidden},
           {"the value projection", &LayerWeights::value, kv, hidden},
           {"the output projection", &LayerWeights::output, hidden, config.attended_width()},
           {"the projection to the latent", &LayerWeights::latent_down, down, hidden},
           {"the projection from the latent", &LayerWeights::latent_up, up, shape.latent_dim},
           {"the gate projection", &LayerWeights::gate, gate, hidden},
           {"the up projection", &LayerWeights::up, ffn, hidden},
           {"the down projection", &LayerWeights::down, hidden, ffn}}};
}

std::array<LayerVector, 13> layer_vectors(const ModelConfig& config) {
  const std::uint32_t hidden = config.shape.hidden;
  const auto when = [](bool present, std::uint32_t size) { return present ? size : 0; };
  const bool layer_norm = config.norm == NormKind::layer;
  return {{{"the attention norm", &LayerWeights::attention_norm, hidden},
           {"the attention norm's bias", &LayerWeights::attention_norm_bias, when(layer_norm, hidden)},
           {"the query bias", &LayerWeights::query_bias, when(config.qkv_bias, config.query_width())},
           {"the key bias", &LayerWeights::key_bias, when(config.qkv_bias, config.kv_width())},
           {"the value bias", &LayerWeights::value_bias, when(config.qkv_bias, config.kv_width())},
           {"the output bias", &LayerWeights::output_bias, when(config.output_bias, hidden)},
           {"the query norm", &LayerWeights::query_norm, when(config.qk_norm, config.shape.head_dim)},
           {"the key norm", &LayerWeights::key_norm, when(config.qk_norm, config.shape.head_dim)},
           {"the latent norm", &LayerWeights::latent_norm, when(config.latent(), config.shape.latent_dim)},
           {"the feed-forward norm", &LayerWeights::ffn_norm, hidden},
           {"the feed-forward norm's bias", &LayerWeights::ffn_norm_bias, when(layer_norm, hidden)},
           {"the up bias", &LayerWeights::up_bias, when(config.ffn_bias, config.ffn_hidden)},
           {"the down bias", &LayerWeights::down_bias, when(config.ffn_bias, hidden)}}};
}

std::uint32_t position_rows(const ModelConfig& config) {
  return config.positions == Positions::learned ? config.shape.context : 0;
}
std::uint32_t final_bias_size(const ModelConfig& config) {
  return config.norm == NormKind::layer ? config.shape.hidden : 0;
}

/// Cuts one zeroed buffer into F32 matrices, each on a 64-byte boundary.
class Cutter {
 public:
  explicit Cutter(const ModelConfig& config)
      : memory_(std::make_shared<AlignedBuffer>(floats(config), 0.0F, tr("the model"))), next_(memory_->data()) {}

  WeightMatrix matrix(std::uint32_t rows, std::uint32_t columns) {
    if (rows == 0) return {};
    const WeightMatrix view{WeightType::f32, Index{rows}, Index{columns}, reinterpret_cast<const std::byte*>(next_)};
    next_ += padded(std::uint64_t{rows} * columns);
    return view;
  }
  std::shared_ptr<const void> memory() const { return memory_; }

 private:
  static std::uint64_t padded(std::uint64_t floats) {
    constexpr std::uint64_t kFloatsPerLine = AlignedBuffer::kAlignment / sizeof(float);
    return (floats + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
  }
  static std::uint64_t floats(const ModelConfig& config) {
    std::uint64_t layer = 0;
    for (const LayerMatrix& piece : layer_matrices(config)) layer += padded(std::uint64_t{piece.rows} * piece.columns);
    const std::uint64_t hidden = config.shape.hidden;
    const std::uint64_t table = padded(hidden * config.shape.vocab);
    return config.shape.layers * layer + (config.tied_head ? 1 : 2) * table + padded(hidden * position_rows(config));
  }

  std::shared_ptr<AlignedBuffer> memory_;
  float* next_;
};

Weights zero_weights(const ModelConfig& config) {
  Cutter cutter(config);
  Weights weights;
  weights.memory.push_back(cutter.memory());
  weights.embedding = cutter.matrix(config.shape.vocab, config.shape.hidden);
  weights.position_embedding = cutter.matrix(position_rows(config), config.shape.hidden);
  for (std::uint32_t l = 0; l < config.shape.layers; ++l) {
    LayerWeights& layer = weights.layers.emplace_back();
    for (const LayerMatrix& piece : layer_matrices(config))
      layer.*piece.member = cutter.matrix(piece.rows, piece.columns);
    for (const LayerVector& piece : layer_vectors(config)) layer.*piece.member = Vector::Zero(piece.size);
  }
  weights.final_norm = Vector::Zero(config.shape.hidden);
  weights.final_norm_bias = Vector::Zero(final_bias_size(config));
  weights.head = config.tied_head ? weights.embedding : cutter.matrix(config.shape.vocab, config.shape.hidden);
  return weights;
}

void check_shape(const std::string& where, const std::string& piece, Index rows, Index columns, Index wanted_rows,
                 Index wanted_columns) {
  if (rows == wanted_rows && (rows == 0 || columns == wanted_columns)) return;
  throw InputError(
      tr_format("{}: {} has shape [{}][{}], and the model's numbers ask for [{}][{}]: the file is damaged "
                "or of another model",
                where, piece, rows, columns, wanted_rows, wanted_columns));
}

void check_matrix(const std::string& where, const std::string& piece, const WeightMatrix& weight, std::uint32_t rows,
                  std::uint32_t columns) {
  check_shape(where, piece, weight.rows, weight.columns, Index{rows}, Index{columns});
  if (weight.rows != 0 && weight.columns % numbers_per_block(weight.type) != 0) {
    throw InputError(tr_format("{}: {} has rows of {} numbers, which is no whole number of {} blocks of {}", where,
                               piece, weight.columns, name(weight.type), numbers_per_block(weight.type)));
  }
}

void check_weights(const ModelConfig& config, const Weights& weights, const std::string& where) {
  const std::uint32_t hidden = config.shape.hidden;
  const auto vector = [&](const std::string& piece, const Vector& numbers, std::uint32_t size) {
    check_shape(where, piece, numbers.size(), 1, Index{size}, 1);
  };
  check_matrix(where, "the embedding", weights.embedding, config.shape.vocab, hidden);
  check_matrix(where, "the position embedding", weights.position_embedding, position_rows(config), hidden);
  check_matrix(where, "the output head", weights.head, config.shape.vocab, hidden);
  vector("the final norm", weights.final_norm, hidden);
  vector("the final norm's bias", weights.final_norm_bias, final_bias_size(config));
  check_shape(where, "the list of layers", static_cast<Index>(weights.layers.size()), 1, Index{config.shape.layers}, 1);
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    for (const LayerMatrix& piece : layer_matrices(config)) {
      check_matrix(where, tr_format("{} of layer {}", tr(piece.name), l), weights.layers[l].*piece.member, piece.rows,
                   piece.columns);
    }
    for (const LayerVector& piece : layer_vectors(config)) {
      vector(tr_format("{} of layer {}", tr(piece.name), l), weights.layers[l].*piece.member, piece.size);
    }
  }
}

}  // namespace

Model::Model(const ModelConfig& model_config, const std::string& where)
    : config(checked(model_config, where)), weights(zero_weights(config)) {}

Model::Model(const ModelConfig& model_config, Weights model_weights, const std::string& where)
    : config(checked(model_config, where)), weights(std::move(model_weights)) {
  check_weights(config, weights, where);
}

std::uint64_t matrix_bytes(const Weights& weights) {
  std::uint64_t bytes = weights.head.bytes() + weights.position_embedding.bytes();
  if (weights.head.data != weights.embedding.data) bytes += weights.embedding.bytes();
  for (const LayerWeights& layer : weights.layers) {
    for (const auto member : kLayerMatrices) bytes += (layer.*member).bytes();
  }
  return bytes;
}

}  // namespace kvarium::cpu
