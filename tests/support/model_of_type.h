#pragma once
// A model with the same numbers in another format of weights: what a converter of files would write.

#include <memory>

#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium_test {

using namespace kvarium::cpu;

inline WeightMatrix converted(const WeightMatrix& weight, WeightType type, Weights& owner) {
  if (weight.empty()) return weight;
  const std::uint64_t stride = row_bytes(type, static_cast<std::uint64_t>(weight.columns));
  const std::uint64_t floats = (static_cast<std::uint64_t>(weight.rows) * stride + 3) / sizeof(float);
  const auto memory = std::make_shared<AlignedBuffer>(floats, 0.0F, "a converted weight");
  auto* bytes = reinterpret_cast<std::byte*>(memory->data());
  owner.memory.push_back(memory);
  Vector numbers(weight.columns);
  for (Index r = 0; r < weight.rows; ++r) {
    dequantize_row(weight.type, weight.row(r), weight.columns, numbers.data());
    quantize_row(type, numbers.data(), weight.columns, bytes + static_cast<std::uint64_t>(r) * stride);
  }
  return {type, weight.rows, weight.columns, bytes};
}

/// Norms and biases stay F32; a tied head stays tied.
inline std::shared_ptr<const Model> model_of_type(const Model& model, WeightType type) {
  Weights weights = model.weights;
  weights.memory.clear();
  weights.embedding = converted(model.weights.embedding, type, weights);
  weights.position_embedding = converted(model.weights.position_embedding, type, weights);
  weights.head = model.config.tied_head ? weights.embedding : converted(model.weights.head, type, weights);
  for (LayerWeights& layer : weights.layers) {
    for (const auto member : kLayerMatrices) layer.*member = converted(layer.*member, type, weights);
  }
  return std::make_shared<const Model>(model.config, std::move(weights), "a converted model");
}

}  // namespace kvarium_test
