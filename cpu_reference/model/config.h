#pragma once
// What must be known of a Llama-architecture model to run it; ModelShape alone tells how large its KV cache is.

#include <cstdint>
#include <string>

#include "core/model_shape.h"

namespace kvarium::cpu {

/// Which two numbers of a head RoPE rotates together. The two conventions give the same model only when the rows of
/// the query and key weights are permuted to match, which is what converters between the formats do.
enum class RopePairs : std::uint8_t {
  interleaved,  ///< (2i, 2i + 1): the RoFormer paper, GPT-J, Meta's LLaMA files, llama2.c
  halves,       ///< (i, i + head_dim / 2): GPT-NeoX, Hugging Face
};

struct ModelConfig {
  ModelShape shape;
  std::uint32_t ffn_hidden = 0;  ///< width between the gate and down projections
  RopePairs rope_pairs = RopePairs::interleaved;
  float rope_theta = 10000.0F;
  float norm_epsilon = 1e-5F;
  bool tied_head = true;  ///< the output projection is the embedding table

  std::uint32_t query_width() const { return shape.query_heads * shape.head_dim; }
  std::uint32_t kv_width() const { return shape.kv_heads * shape.head_dim; }
  bool operator==(const ModelConfig&) const = default;
};

/// InputError that starts with `where` and names the field, its value and its range. The ranges are so small that no
/// product of a config's numbers overflows 64 bits.
void check(const ModelConfig& config, const std::string& where);
/// The config itself, after check().
ModelConfig checked(const ModelConfig& config, const std::string& where);

/// Numbers in all weights of the model.
std::uint64_t num_parameters(const ModelConfig& config);

}  // namespace kvarium::cpu
