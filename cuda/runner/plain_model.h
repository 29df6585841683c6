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
  // Latent attention (DeepSeek-V2, section 2.1) has these instead of key and value:
  Tensor query_rotary;  ///< [query_heads * rotary_key_dim][hidden] W^QR
  Tensor latent_down;   ///< [latent_dim][hidden] W^DKV
  Tensor key_rotary;    ///< [rotary_key_dim][hidden] W^KR
  Tensor latent_norm;   ///< [latent_dim], of the latent before it is cached
  Tensor absorb;        ///< [query_heads][latent_dim][head_dim] each head's W^UK transposed
  Tensor unpack;        ///< [query_heads][value_dim][latent_dim] each head's W^UV
  Tensor output;        ///< [hidden][query_heads * value_dim]
  Tensor ffn_norm;      ///< [hidden]
  Tensor gate, up;      ///< [ffn_hidden][hidden]
  Tensor down;          ///< [hidden][ffn_hidden]
};

struct PlainModel {
  ModelShape shape;
  std::uint32_t ffn_hidden = 0;
  std::uint32_t value_dim = 0;  ///< of a head's result: head_dim, unless the model is latent and says otherwise
  float norm_epsilon = 0;
  float latent_norm_epsilon = 0;
  bool rotates_neighbours = false;       ///< RoPE pairs (2i, 2i + 1); else i and i + half of the rotated numbers
  std::vector<double> rope_frequencies;  ///< [rotated numbers of a head / 2] radians a position
  Tensor embedding;                      ///< [vocab][hidden]
  std::vector<PlainLayer> layers;
  Tensor final_norm;  ///< [hidden]
  Tensor head;        ///< [vocab][hidden]; null: the embedding
};

inline bool is_latent(const PlainModel& model) { return model.shape.kv_kind == KvKind::latent; }

/// The model, which must stay. InputError, with the model's name, for what the kernels do not compute: LayerNorm, GELU
/// and learned positions (GPT-2), a sliding window.
PlainModel plain_model(const cpu::Model& model);

}  // namespace kvarium::cuda
