#pragma once
// config.json of a Hugging Face folder: which model it is, and its numbers.

#include <filesystem>
#include <string>

#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

struct HfConfig {
  std::string architecture;  ///< "LlamaForCausalLM"
  ModelConfig model;         ///< not yet checked
};

/// LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM, GPT2LMHeadModel and, where all of its
/// layers are dense, DeepseekV2ForCausalLM, as versions 4 and 5 of transformers write them. InputError naming the file
/// and the field: a number that is missing or of the wrong kind, and everything that this transformer does not do:
/// another architecture, activation or rotary scaling, experts, quantised weights, a window in some of the layers only;
/// with DeepSeek-V2 any rotary scaling, and queries of low rank.
HfConfig read_hf_config(const std::filesystem::path& path);

}  // namespace kvarium::cpu
