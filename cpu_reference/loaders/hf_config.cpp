#include "cpu_reference/loaders/hf_config.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/words/words.h"
#include "cpu_reference/loaders/json_fields.h"
#include "cpu_reference/loaders/json_file.h"

namespace kvarium::cpu {
namespace {

constexpr const char* kLlama = "LlamaForCausalLM";
constexpr const char* kMistral = "MistralForCausalLM";
constexpr const char* kQwen2 = "Qwen2ForCausalLM";
constexpr const char* kQwen3 = "Qwen3ForCausalLM";
constexpr const char* kGpt2 = "GPT2LMHeadModel";
constexpr const char* kDeepseekV2 = "DeepseekV2ForCausalLM";

std::string architecture_of(const JsonFields& json) {
  const std::vector<std::string> named = json.texts("architectures").value_or(std::vector<std::string>{});
  for (const char* known : {kLlama, kMistral, kQwen2, kQwen3, kGpt2, kDeepseekV2}) {
    if (named.size() == 1 && named.front() == known) return known;
  }
  std::string all;
  for (const std::string& name : named) all += (all.empty() ? "" : ", ") + name;
  json.fail("architectures", tr_format("{} is not supported: choose a model of {}, {}, {}, {}, {} or {}",
                                       all.empty() ? std::string(tr("none")) : all, kLlama, kMistral, kQwen2, kQwen3,
                                       kGpt2, kDeepseekV2));
}

[[noreturn]] void fail_experts(const JsonFields& json, const char* field) {
  json.fail(field, std::string(tr("a mixture of experts is not supported: choose a dense model")));
}

/// Fields that ask for what this transformer does not do.
void refuse_unsupported(const JsonFields& json, const std::string& architecture) {
  if (json.has("quantization_config")) {
    json.fail("quantization_config", std::string(tr("quantised safetensors are not supported: use GGUF, or the model "
                                                    "in F32, F16 or BF16")));
  }
  // DeepSeek-V2 always tells a number of experts; another field says which layers have them.
  for (const char* field : {"num_experts", "num_local_experts", "n_routed_experts"}) {
    if (architecture != kDeepseekV2 && json.whole(field).value_or(0) > 0) fail_experts(json, field);
  }
  for (const char* field : {"mlp_bias", "scale_attn_by_inverse_layer_idx", "add_cross_attention"}) {
    if (json.flag(field).value_or(false)) json.fail(field, std::string(tr("true is not supported")));
  }
  if (!json.flag("scale_attn_weights").value_or(true)) {
    json.fail("scale_attn_weights", std::string(tr("false is not supported")));
  }
  if (json.real("partial_rotary_factor").value_or(1.0) != 1.0) {
    json.fail("partial_rotary_factor", std::string(tr("another number than 1 is not supported")));
  }
}

void expect_activation(const JsonFields& json, const char* field, const char* standard,
                       const std::vector<std::string>& allowed) {
  const std::string activation = json.text(field).value_or(standard);
  if (std::find(allowed.begin(), allowed.end(), activation) != allowed.end()) return;
  json.fail(field, tr_format("the activation {} is not supported: this architecture runs with {}", activation,
                             allowed.front()));
}

std::string rope_kind(const JsonFields& rope) {
  return rope.text("rope_type").value_or(rope.text("type").value_or("default"));
}

/// A positive number of positions, or nothing: the config's check names a wrong one.
RopeScaling scaling_of(const JsonFields& rope) {
  const std::string kind = rope_kind(rope);
  RopeScaling scaling;
  if (kind == "default") return scaling;
  if (kind != "linear" && kind != "llama3") {
    rope.fail("rope_type", tr_format("the rotary scaling {} is not supported: linear and llama3 are", kind));
  }
  scaling.factor = static_cast<float>(rope.needed_real("factor"));
  scaling.kind = RopeScaling::Kind::linear;
  if (kind == "linear") return scaling;
  scaling.kind = RopeScaling::Kind::llama3;
  scaling.low_freq_factor = static_cast<float>(rope.needed_real("low_freq_factor"));
  scaling.high_freq_factor = static_cast<float>(rope.needed_real("high_freq_factor"));
  scaling.original_context = rope.needed_whole("original_max_position_embeddings");
  return scaling;
}

/// Version 5 writes "rope_parameters" with everything, version 4 "rope_theta" and, where it scales, "rope_scaling".
void read_rope(const JsonFields& json, ModelConfig& config) {
  config.rope_theta = static_cast<float>(json.real("rope_theta").value_or(10000.0));
  for (const char* field : {"rope_scaling", "rope_parameters"}) {
    const auto rope = json.object(field);
    if (!rope) continue;
    for (const char* kind : {"full_attention", "sliding_attention"}) {
      if (rope->has(kind))
        rope->fail(kind, std::string(tr("rotary settings for some of the layers are not supported")));
    }
    if (rope->real("partial_rotary_factor").value_or(1.0) != 1.0) {
      rope->fail("partial_rotary_factor", std::string(tr("another number than 1 is not supported")));
    }
    config.rope_scaling = scaling_of(*rope);
    config.rope_theta = static_cast<float>(rope->real("rope_theta").value_or(config.rope_theta));
  }
}

/// Tokens that a token sees; 0: all. Mistral has a number or null. Qwen says, in three ways, which layers it is for.
std::uint32_t window_of(const JsonFields& json, const std::string& architecture, std::uint32_t layers) {
  const std::uint32_t window = json.whole("sliding_window").value_or(0);
  if (const auto types = json.texts("layer_types")) {
    const auto is = [](const char* kind) { return [kind](const std::string& type) { return type == kind; }; };
    if (std::all_of(types->begin(), types->end(), is("full_attention"))) return 0;
    if (std::all_of(types->begin(), types->end(), is("sliding_attention"))) return window;
    json.fail("layer_types", std::string(tr("layers of different kinds of attention are not supported")));
  }
  if (architecture == kMistral) return window;
  if (!json.flag("use_sliding_window").value_or(false)) return 0;
  const std::uint32_t full_layers = json.whole("max_window_layers").value_or(layers);
  if (full_layers >= layers) return 0;
  if (full_layers == 0) return window;
  json.fail("max_window_layers", std::string(tr("a window in some of the layers is not supported")));
}

ModelConfig llama_like(const JsonFields& json, const std::string& architecture) {
  ModelConfig config;
  ModelShape& shape = config.shape;
  expect_activation(json, "hidden_act", "silu", {"silu", "swish"});
  shape.layers = json.needed_whole("num_hidden_layers");
  shape.query_heads = json.needed_whole("num_attention_heads");
  shape.hidden = json.needed_whole("hidden_size");
  shape.vocab = json.needed_whole("vocab_size");
  shape.context = json.needed_whole("max_position_embeddings");
  config.ffn_hidden = json.needed_whole("intermediate_size");
  shape.kv_heads = architecture == kLlama ? json.whole("num_key_value_heads").value_or(shape.query_heads)
                                          : json.needed_whole("num_key_value_heads");
  if (architecture == kQwen3 || json.has("head_dim")) {
    shape.head_dim = json.needed_whole("head_dim");
  } else if (shape.query_heads != 0 && shape.hidden % shape.query_heads == 0) {
    shape.head_dim = shape.hidden / shape.query_heads;
  } else {
    json.fail("num_attention_heads",
              tr_format("a width of {} cannot be divided into {} heads", shape.hidden, shape.query_heads));
  }
  config.norm_epsilon = static_cast<float>(json.real("rms_norm_eps").value_or(1e-6));
  config.rope_pairs = RopePairs::halves;
  read_rope(json, config);
  config.sliding_window = window_of(json, architecture, shape.layers);
  const bool attention_bias = json.flag("attention_bias").value_or(false);
  config.qkv_bias = architecture == kQwen2 || attention_bias;
  config.output_bias = architecture != kQwen2 && attention_bias;
  config.qk_norm = architecture == kQwen3;
  config.tied_head = json.flag("tie_word_embeddings").value_or(false);
  return config;
}

/// What latent attention runs without here.
void refuse_unsupported_latent(const JsonFields& json, const ModelShape& shape) {
  if (json.whole("first_k_dense_replace").value_or(0) < shape.layers) fail_experts(json, "first_k_dense_replace");
  if (json.has("q_lora_rank")) {
    json.fail("q_lora_rank", std::string(tr("queries of low rank are not supported: it must be null")));
  }
  if (json.flag("attention_bias").value_or(false)) {
    json.fail("attention_bias", std::string(tr("true is not supported")));
  }
  if (json.whole("num_key_value_heads").value_or(shape.query_heads) != shape.query_heads) {
    json.fail("num_key_value_heads", std::string(tr("with latent attention it must equal num_attention_heads")));
  }
  for (const char* field : {"rope_scaling", "rope_parameters"}) {
    const auto rope = json.object(field);
    if (!rope) continue;
    const std::string kind = rope_kind(*rope);
    if (kind == "default") continue;
    rope->fail("rope_type", tr_format("the rotary scaling {} is not supported with latent attention", kind));
  }
}

/// Latent attention (MLA). "head_dim" and "qk_head_dim" only repeat what the other widths say.
ModelConfig deepseek_v2(const JsonFields& json) {
  ModelConfig config;
  ModelShape& shape = config.shape;
  expect_activation(json, "hidden_act", "silu", {"silu", "swish"});
  shape.layers = json.needed_whole("num_hidden_layers");
  shape.query_heads = shape.kv_heads = json.needed_whole("num_attention_heads");
  refuse_unsupported_latent(json, shape);
  shape.hidden = json.needed_whole("hidden_size");
  shape.vocab = json.needed_whole("vocab_size");
  shape.context = json.needed_whole("max_position_embeddings");
  shape.kv_kind = KvKind::latent;
  shape.latent_dim = json.needed_whole("kv_lora_rank");
  shape.head_dim = json.needed_whole("qk_nope_head_dim");
  shape.rotary_key_dim = json.needed_whole("qk_rope_head_dim");
  config.latent_value_dim = json.needed_whole("v_head_dim");
  config.ffn_hidden = json.needed_whole("intermediate_size");
  config.norm_epsilon = static_cast<float>(json.real("rms_norm_eps").value_or(1e-6));
  config.rope_pairs = RopePairs::interleaved;
  read_rope(json, config);
  config.tied_head = json.flag("tie_word_embeddings").value_or(false);
  return config;
}

ModelConfig gpt2(const JsonFields& json) {
  ModelConfig config;
  ModelShape& shape = config.shape;
  expect_activation(json, "activation_function", "gelu_new", {"gelu_new", "gelu_pytorch_tanh"});
  shape.layers = json.needed_whole("n_layer");
  shape.query_heads = json.needed_whole("n_head");
  shape.kv_heads = shape.query_heads;
  shape.hidden = json.needed_whole("n_embd");
  shape.vocab = json.needed_whole("vocab_size");
  shape.context = json.needed_whole("n_positions");
  if (shape.query_heads == 0 || shape.hidden % shape.query_heads != 0) {
    json.fail("n_head", tr_format("a width of {} cannot be divided into {} heads", shape.hidden, shape.query_heads));
  }
  shape.head_dim = shape.hidden / shape.query_heads;
  const std::optional<std::uint32_t> inner = json.whole("n_inner");
  // Wider than 2^30 is refused by the config's check: it must not wrap before.
  config.ffn_hidden = inner.value_or(std::min(shape.hidden, 1U << 29U) * 4);
  config.norm = NormKind::layer;
  config.norm_epsilon = static_cast<float>(json.real("layer_norm_epsilon").value_or(1e-5));
  config.feed_forward = FeedForward::gelu;
  config.positions = Positions::learned;
  config.qkv_bias = config.output_bias = config.ffn_bias = true;
  config.tied_head = json.flag("tie_word_embeddings").value_or(true);
  return config;
}

}  // namespace

HfConfig read_hf_config(const std::filesystem::path& path) {
  const nlohmann::json json = read_json_file(path, 32);
  const JsonFields fields(json, path.string());
  HfConfig config;
  config.architecture = architecture_of(fields);
  refuse_unsupported(fields, config.architecture);
  if (config.architecture == kGpt2) {
    config.model = gpt2(fields);
  } else if (config.architecture == kDeepseekV2) {
    config.model = deepseek_v2(fields);
  } else {
    config.model = llama_like(fields, config.architecture);
  }
  return config;
}

}  // namespace kvarium::cpu
