#pragma once
// The weights of a model: views into memory or into mapped files, and small vectors of their own.

#include <memory>
#include <string>
#include <vector>

#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"
#include "cpu_reference/model/weight_matrix.h"

namespace kvarium::cpu {

/// One layer. A vector that the model does not have is empty.
struct LayerWeights {
  Vector attention_norm;       ///< [hidden]
  Vector attention_norm_bias;  ///< [hidden]; LayerNorm only
  WeightMatrix query;          ///< [query_heads * head_dim][hidden]
  WeightMatrix key;            ///< [kv_heads * head_dim][hidden]
  WeightMatrix value;          ///< [kv_heads * head_dim][hidden]
  WeightMatrix output;         ///< [hidden][query_heads * head_dim]
  // Latent attention has these instead of `key` and `value`; a query head is head_dim + rotary_key_dim wide there.
  WeightMatrix latent_down;  ///< [latent_dim + rotary_key_dim][hidden]: W^DKV and below it W^KR
  Vector latent_norm;        ///< [latent_dim], of the latent before it is cached
  WeightMatrix latent_up;    ///< [query_heads * (head_dim + value_dim)][latent_dim]: a head's W^UK, its W^UV, the next
  Vector query_bias;         ///< [query_heads * head_dim]
  Vector key_bias;           ///< [kv_heads * head_dim]
  Vector value_bias;         ///< [kv_heads * head_dim]
  Vector output_bias;        ///< [hidden]
  Vector query_norm;         ///< [head_dim], of each head before it is rotated (Qwen3)
  Vector key_norm;           ///< [head_dim]
  Vector ffn_norm;           ///< [hidden]
  Vector ffn_norm_bias;      ///< [hidden]; LayerNorm only
  WeightMatrix gate;         ///< [ffn_hidden][hidden]; SwiGLU only
  WeightMatrix up;           ///< [ffn_hidden][hidden]
  WeightMatrix down;         ///< [hidden][ffn_hidden]
  Vector up_bias;            ///< [ffn_hidden]
  Vector down_bias;          ///< [hidden]
};

/// All matrices of a layer; one that the model does not have is empty.
inline constexpr WeightMatrix LayerWeights::*kLayerMatrices[] = {
    &LayerWeights::query,  &LayerWeights::key,         &LayerWeights::value,
    &LayerWeights::output, &LayerWeights::latent_down, &LayerWeights::latent_up,
    &LayerWeights::gate,   &LayerWeights::up,          &LayerWeights::down};

struct Weights {
  WeightMatrix embedding;           ///< [vocab][hidden]
  WeightMatrix position_embedding;  ///< [context][hidden]; learned positions only
  std::vector<LayerWeights> layers;
  Vector final_norm;       ///< [hidden]
  Vector final_norm_bias;  ///< [hidden]; LayerNorm only
  WeightMatrix head;       ///< [vocab][hidden]; with a tied head the same memory as `embedding`
  /// What the views point into, kept alive.
  std::vector<std::shared_ptr<const void>> memory;
};

struct Model {
  /// All weights zero and F32, each on a 64-byte boundary, to be filled through writable_f32(). InputError when the
  /// config fails its check or the weights do not fit in memory.
  Model(const ModelConfig& model_config, const std::string& where);
  /// With the weights of a file. InputError, starting with `where`, when the config fails its check or a weight is not
  /// of the shape that the config asks for.
  Model(const ModelConfig& model_config, Weights model_weights, const std::string& where);

  ModelConfig config;
  Weights weights;
};

/// Bytes of all matrices: what one decode step reads at least.
std::uint64_t matrix_bytes(const Weights& weights);

}  // namespace kvarium::cpu
