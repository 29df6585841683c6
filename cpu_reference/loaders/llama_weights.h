#pragma once
// The weights of Llama and of the models that are built like it: Mistral, Qwen2, Qwen3, and DeepSeek-V2 with its latent
// attention. Hugging Face and GGUF differ in the names only.

#include <string>

#include "cpu_reference/loaders/weight_taker.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::cpu {

/// Without ".weight" and ".bias" behind them.
struct LlamaNames {
  std::string embedding, final_norm, head;
  std::string layer;  ///< with {} for the layer's number; stands before all that follow
  std::string attention_norm, query, key, value, output, query_norm, key_norm, ffn_norm, gate, up, down;
  std::string latent_down = {}, latent_norm = {}, latent_up = {};  ///< no GGUF with latent attention is read
};

const LlamaNames& hugging_face_names();
const LlamaNames& gguf_names();

/// What the config asks for; errors as WeightTaker throws them.
Weights take_llama_weights(WeightTaker& taker, const ModelConfig& config, const LlamaNames& names);

}  // namespace kvarium::cpu
