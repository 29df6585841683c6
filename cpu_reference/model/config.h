#pragma once
// What must be known of a model to run it; ModelShape alone tells how large its KV cache is. Llama, Mistral, Qwen,
// GPT-2 and a DeepSeek-V2 without experts differ in these settings only.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model_shape.h"

namespace kvarium::cpu {

/// Which two numbers of a head RoPE rotates together. The two conventions give the same model only when the rows of
/// the query and key weights are permuted to match, which is what converters between the formats do.
enum class RopePairs : std::uint8_t {
  interleaved,  ///< (2i, 2i + 1): the RoFormer paper, GPT-J, Meta's LLaMA files, llama2.c
  halves,       ///< (i, i + head_dim / 2): GPT-NeoX, Hugging Face
};

enum class NormKind : std::uint8_t {
  rms,    ///< RMSNorm: Llama and all after it
  layer,  ///< LayerNorm with a bias: GPT-2
};
enum class FeedForward : std::uint8_t {
  swiglu,  ///< down(silu(gate x) * up x)
  gelu,    ///< down(gelu(up x)), with the tanh approximation: GPT-2
};
enum class Positions : std::uint8_t {
  rotary,   ///< queries and keys are rotated: RoPE
  learned,  ///< a table of vectors is added to the embedding: GPT-2
};

/// How a model that was trained on short contexts rotates for long ones.
struct RopeScaling {
  enum class Kind : std::uint8_t {
    none,
    linear,  ///< position / factor (Chen et al. 2023)
    llama3,  ///< slow frequencies / factor, fast ones as they were, a ramp between (Llama 3.1)
  };
  Kind kind = Kind::none;
  float factor = 1.0F;
  float low_freq_factor = 1.0F;        ///< llama3: wavelengths above original_context / this are scaled in full
  float high_freq_factor = 4.0F;       ///< llama3: wavelengths below original_context / this are kept
  std::uint32_t original_context = 0;  ///< llama3: tokens
  bool operator==(const RopeScaling&) const = default;
};

struct ModelConfig {
  ModelShape shape;
  std::uint32_t ffn_hidden = 0;  ///< width between the up and down projections
  NormKind norm = NormKind::rms;
  float norm_epsilon = 1e-5F;
  FeedForward feed_forward = FeedForward::swiglu;
  Positions positions = Positions::rotary;
  RopePairs rope_pairs = RopePairs::interleaved;
  float rope_theta = 10000.0F;
  std::uint32_t rotary_dim = 0;  ///< the first numbers of a head that are rotated; 0: all
  RopeScaling rope_scaling;
  std::vector<float> rope_freq_factors;  ///< [rotary_dim / 2] that frequencies are divided by (GGUF); empty: none
  std::uint32_t sliding_window = 0;      ///< tokens that a token sees, itself included (Mistral); 0: all
  bool qkv_bias = false;                 ///< of the query, key and value projections (Qwen2, GPT-2)
  bool output_bias = false;              ///< of the output projection (GPT-2)
  bool ffn_bias = false;                 ///< of the feed-forward projections (GPT-2)
  bool qk_norm = false;                  ///< RMSNorm of each query and key head (Qwen3)
  bool tied_head = true;                 ///< the output projection is the embedding table
  /// Latent attention only (shape.head_dim is the width of a query or key without the rotated part behind it).
  std::uint32_t latent_value_dim = 0;  ///< width of a value; 0: shape.head_dim
  float latent_norm_epsilon = 1e-6F;   ///< of the latent's norm, which DeepSeek-V2 has apart from norm_epsilon

  bool latent() const { return shape.kv_kind == KvKind::latent; }
  std::uint32_t query_head_dim() const { return shape.head_dim + (latent() ? shape.rotary_key_dim : 0); }
  std::uint32_t value_head_dim() const { return latent() && latent_value_dim != 0 ? latent_value_dim : shape.head_dim; }
  std::uint32_t query_width() const { return shape.query_heads * query_head_dim(); }
  std::uint32_t kv_width() const { return shape.kv_heads * shape.head_dim; }  ///< not with latent attention
  std::uint32_t attended_width() const { return shape.query_heads * value_head_dim(); }
  std::uint32_t rotated_width() const {  ///< of a head
    if (latent()) return shape.rotary_key_dim;
    return rotary_dim == 0 ? shape.head_dim : rotary_dim;
  }
  bool operator==(const ModelConfig&) const = default;
};

/// InputError that starts with `where` and names the field, its value and its range. The ranges are so small that no
/// product of a config's numbers overflows 64 bits.
void check(const ModelConfig& config, const std::string& where);
/// The config itself, after check().
ModelConfig checked(const ModelConfig& config, const std::string& where);

/// Numbers in all weights of the model, biases and norms included.
std::uint64_t num_parameters(const ModelConfig& config);

}  // namespace kvarium::cpu
