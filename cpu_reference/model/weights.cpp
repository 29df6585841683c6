#include "cpu_reference/model/weights.h"

#include <utility>

#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

constexpr std::uint64_t kFloatsPerLine = AlignedBuffer::kAlignment / sizeof(float);

std::uint64_t padded(std::uint64_t floats) { return (floats + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine; }

/// Every piece is padded to whole cache lines.
std::uint64_t floats_with_padding(const ModelConfig& config) {
  const std::uint64_t hidden = config.shape.hidden;
  const std::uint64_t layer = 2 * padded(hidden) + 2 * padded(hidden * config.query_width()) +
                              2 * padded(hidden * config.kv_width()) + 3 * padded(hidden * config.ffn_hidden);
  const std::uint64_t table = padded(hidden * config.shape.vocab);
  return config.shape.layers * layer + padded(hidden) + (config.tied_head ? 1 : 2) * table;
}

}  // namespace

/// Each call returns the next piece.
struct Weights::Cursor {
  float* next;

  WeightMatrix matrix(std::uint32_t rows, std::uint32_t columns) {
    const WeightMatrix view(next, rows, columns);
    next += padded(std::uint64_t{rows} * columns);
    return view;
  }
  WeightVector vector(std::uint32_t size) {
    const WeightVector view(next, size);
    next += padded(size);
    return view;
  }
  LayerWeights layer(const ModelConfig& config) {
    const std::uint32_t hidden = config.shape.hidden;
    // A braced list is evaluated in its order.
    return LayerWeights{vector(hidden),
                        matrix(config.query_width(), hidden),
                        matrix(config.kv_width(), hidden),
                        matrix(config.kv_width(), hidden),
                        matrix(hidden, config.query_width()),
                        vector(hidden),
                        matrix(config.ffn_hidden, hidden),
                        matrix(config.ffn_hidden, hidden),
                        matrix(hidden, config.ffn_hidden)};
  }
  std::vector<LayerWeights> all_layers(const ModelConfig& config) {
    std::vector<LayerWeights> made;
    made.reserve(config.shape.layers);
    while (made.size() < config.shape.layers) made.push_back(layer(config));
    return made;
  }
};

Weights::Weights(const ModelConfig& config)
    : Weights(config, AlignedBuffer(floats_with_padding(config), 0.0F, tr("the model"))) {}

Weights::Weights(const ModelConfig& config, AlignedBuffer&& memory)
    : Weights(config, std::move(memory), Cursor{memory.data()}) {}

Weights::Weights(const ModelConfig& config, AlignedBuffer&& memory, Cursor cursor)
    : memory_(std::move(memory)),
      embedding(cursor.matrix(config.shape.vocab, config.shape.hidden)),
      layers(cursor.all_layers(config)),
      final_norm(cursor.vector(config.shape.hidden)),
      head(config.tied_head ? embedding : cursor.matrix(config.shape.vocab, config.shape.hidden)) {}

}  // namespace kvarium::cpu
