#pragma once
// A model as the kernels take it: numbers and nothing of the CPU reference's own types, so that nvcc need not read
// those.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/model_shape.h"

namespace kvarium::cpu {
struct Model;
}

namespace kvarium::cuda {

/// The numbers of a weight as floats, read when they are wanted; null: the model has no such weight.
using Tensor = std::function<std::vector<float>()>;

struct PlainLayer {
  Tensor attention_norm;                    ///< [hidden]
  Tensor query, query_bias;                 ///< [query_heads * head_dim][hidden]
  Tensor key, key_bias, value, value_bias;  ///< [kv_heads * head_dim][hidden]
  Tensor query_norm, key_norm;              ///< [head_dim], of each head before it is rotated
  Tensor output;                            ///< [hidden][query_heads * head_dim]
  Tensor ffn_norm;                          ///< [hidden]
  Tensor gate, up;                          ///< [ffn_hidden][hidden]
  Tensor down;                              ///< [hidden][ffn_hidden]
};

struct PlainModel {
  ModelShape shape;
  std::uint32_t ffn_hidden = 0;
  float norm_epsilon = 0;
  bool rotates_neighbours = false;       ///< RoPE pairs (2i, 2i + 1); else i and i + half of the rotated numbers
  std::vector<double> rope_frequencies;  ///< [rotated numbers of a head / 2] radians a position
  Tensor embedding;                      ///< [vocab][hidden]
  std::vector<PlainLayer> layers;
  Tensor final_norm;  ///< [hidden]
  Tensor head;        ///< [vocab][hidden]; null: the embedding
};

/// The model, which must stay. InputError, starting with the model's name, for what the kernels do not compute:
/// LayerNorm, GELU and learned positions (GPT-2), a sliding window, a latent cache.
PlainModel plain_model(const cpu::Model& model);

}  // namespace kvarium::cuda
