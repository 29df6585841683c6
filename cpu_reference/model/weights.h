#pragma once
// The weights of a model: one block of memory, and a matrix view of each piece of it.

#include <string>
#include <vector>

#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

/// Row-major views that start on a 64-byte boundary.
using WeightMatrix = Eigen::Map<Matrix, Eigen::Aligned64>;
using WeightVector = Eigen::Map<Vector, Eigen::Aligned64>;

struct LayerWeights {
  WeightVector attention_norm;  ///< [hidden]
  WeightMatrix query;           ///< [query_heads * head_dim][hidden]
  WeightMatrix key;             ///< [kv_heads * head_dim][hidden]
  WeightMatrix value;           ///< [kv_heads * head_dim][hidden]
  WeightMatrix output;          ///< [hidden][query_heads * head_dim]
  WeightVector ffn_norm;        ///< [hidden]
  WeightMatrix gate;            ///< [ffn_hidden][hidden]
  WeightMatrix up;              ///< [ffn_hidden][hidden]
  WeightMatrix down;            ///< [hidden][ffn_hidden]
};

class Weights {
 public:
  /// All zero. The config must have passed check(). InputError when the weights do not fit in memory.
  explicit Weights(const ModelConfig& config);

 private:
  struct Cursor;  ///< cuts the memory into views
  Weights(const ModelConfig& config, AlignedBuffer&& memory);
  Weights(const ModelConfig& config, AlignedBuffer&& memory, Cursor cursor);
  AlignedBuffer memory_;

 public:
  WeightMatrix embedding;  ///< [vocab][hidden]
  std::vector<LayerWeights> layers;
  WeightVector final_norm;  ///< [hidden]
  WeightMatrix head;        ///< [vocab][hidden]; with a tied head the same memory as `embedding`
};

struct Model {
  /// All weights zero. InputError when the config fails its check or the weights do not fit in memory.
  Model(const ModelConfig& model_config, const std::string& where)
      : config(checked(model_config, where)), weights(config) {}

  ModelConfig config;
  Weights weights;
};

}  // namespace kvarium::cpu
