#include "cpu_reference/loaders/hugging_face.h"

#include <cstring>

#include "cpu_reference/loaders/hf_config.h"
#include "cpu_reference/loaders/safetensors.h"
#include "tests/cpu_reference/loaders/golden_models.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/scratch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::golden_models;
using kvarium_test::load_folder;
using kvarium_test::ScratchFolder;
using nlohmann::json;

namespace {

/// A whole config.json of `architecture`, with the fields of `change` instead of or beside its own; null removes one.
std::string config_json(const std::string& architecture, const json& change) {
  json config = {{"architectures", {architecture}},
                 {"num_hidden_layers", 2},
                 {"num_attention_heads", 4},
                 {"num_key_value_heads", 2},
                 {"hidden_size", 32},
                 {"intermediate_size", 40},
                 {"max_position_embeddings", 64},
                 {"vocab_size", 64},
                 {"head_dim", 8},
                 {"hidden_act", "silu"}};
  config.merge_patch(change);
  return config.dump();
}

ModelConfig config_of(const std::string& architecture, const json& change) {
  const ScratchFolder folder;
  return read_hf_config(folder.write("config.json", config_json(architecture, change))).model;
}

std::string refused(const std::string& architecture, const json& change) {
  const ScratchFolder folder;
  const auto path = folder.write("config.json", config_json(architecture, change));
  const std::string line = kvarium_test::refusal([&] { read_hf_config(path); });
  CHECK_THAT(line, contains("config.json: "));
  return line;
}

json deepseek(json change) {
  json config = {{"num_key_value_heads", 4}, {"kv_lora_rank", 12},    {"qk_nope_head_dim", 8},
                 {"qk_rope_head_dim", 4},    {"v_head_dim", 6},       {"q_lora_rank", nullptr},
                 {"n_routed_experts", 64},   {"n_shared_experts", 2}, {"first_k_dense_replace", 2}};
  config.update(change);
  return config;
}
std::string refused_deepseek(const json& change) { return refused("DeepseekV2ForCausalLM", deepseek(change)); }

std::string refused_llama(const json& change) { return refused("LlamaForCausalLM", change); }

/// The folder of a golden model in a scratch folder, to be damaged.
void copy_model(const std::string& name, const ScratchFolder& folder) {
  std::filesystem::copy(golden_models() / name, folder.path());
}

}  // namespace

TEST_CASE("the config of each family is read as transformers 5 writes it") {
  const ModelConfig llama = load_folder(golden_models() / "llama").model->config;
  CHECK(llama.shape.kv_heads == 2);
  CHECK(llama.rope_pairs == RopePairs::halves);
  CHECK(llama.tied_head);
  CHECK(llama.rope_theta == 500);
  CHECK(llama.rope_scaling == RopeScaling{RopeScaling::Kind::llama3, 4, 1, 4, 16});
  const ModelConfig shards = load_folder(golden_models() / "llama_bf16_shards").model->config;
  CHECK(shards.rope_scaling.kind == RopeScaling::Kind::linear);
  CHECK((shards.qkv_bias && shards.output_bias && !shards.tied_head));
  CHECK(load_folder(golden_models() / "mistral_f16").model->config.sliding_window == 5);
  const ModelConfig qwen2 = load_folder(golden_models() / "qwen2").model->config;
  CHECK((qwen2.qkv_bias && !qwen2.output_bias && qwen2.sliding_window == 0));
  const ModelConfig qwen3 = load_folder(golden_models() / "qwen3").model->config;
  CHECK((qwen3.qk_norm && qwen3.shape.head_dim == 16));
  const ModelConfig gpt2 = load_folder(golden_models() / "gpt2").model->config;
  CHECK((gpt2.norm == NormKind::layer && gpt2.feed_forward == FeedForward::gelu));
  CHECK((gpt2.positions == Positions::learned && gpt2.ffn_hidden == 48 && gpt2.shape.context == 64));
}

TEST_CASE("the config is read as transformers 4 wrote it: rope_theta and rope_scaling stand apart") {
  const ModelConfig config = config_of("LlamaForCausalLM", {{"rope_theta", 500000.0},
                                                            {"head_dim", nullptr},
                                                            {"num_key_value_heads", nullptr},
                                                            {"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}});
  CHECK(config.rope_theta == 500000);
  CHECK(config.rope_scaling.factor == 2);
  CHECK(config.shape.head_dim == 8);
  CHECK(config.shape.kv_heads == 4);
}

TEST_CASE("a window counts where the model uses it") {
  CHECK(config_of("MistralForCausalLM", {{"sliding_window", 4096}}).sliding_window == 4096);
  CHECK(config_of("MistralForCausalLM", {{"sliding_window", nullptr}}).sliding_window == 0);
  CHECK(config_of("Qwen2ForCausalLM", {{"sliding_window", 4096}, {"use_sliding_window", false}}).sliding_window == 0);
  const json all = {{"sliding_window", 16}, {"use_sliding_window", true}, {"max_window_layers", 0}};
  CHECK(config_of("Qwen2ForCausalLM", all).sliding_window == 16);
}

TEST_CASE("what this transformer does not do is named") {
  CHECK_THAT(refused("MixtralForCausalLM", json::object()),
             contains("architectures: MixtralForCausalLM is not supported"));
  CHECK_THAT(refused_llama({{"architectures", nullptr}}), contains("architectures: none is not supported"));
  CHECK_THAT(refused_llama({{"quantization_config", {{"bits", 4}}}}), contains("quantization_config: quantised"));
  CHECK_THAT(refused_llama({{"num_local_experts", 8}}), contains("num_local_experts: a mixture of experts"));
  CHECK_THAT(refused_llama({{"hidden_act", "gelu"}}), contains("hidden_act: the activation gelu is not supported"));
  CHECK_THAT(refused_llama({{"mlp_bias", true}}), contains("mlp_bias: true is not supported"));
  CHECK_THAT(refused_llama({{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}}}}),
             contains("rope_scaling.rope_type: the rotary scaling yarn is not supported"));
  CHECK_THAT(refused_llama({{"partial_rotary_factor", 0.5}}), contains("partial_rotary_factor"));
  const json mixed = {{"layer_types", {"full_attention", "sliding_attention"}}, {"sliding_window", 4}};
  CHECK_THAT(refused("Qwen2ForCausalLM", mixed), contains("layer_types: layers of different kinds"));
  const json some = {{"use_sliding_window", true}, {"max_window_layers", 1}, {"sliding_window", 4}};
  CHECK_THAT(refused("Qwen2ForCausalLM", some), contains("max_window_layers: a window in some of the layers"));
}

TEST_CASE("of DeepSeek-V2 dense layers are read; experts, low-rank queries and scaled rotations are named") {
  const ModelConfig config = config_of("DeepseekV2ForCausalLM", deepseek({{"rms_norm_eps", 0.25}}));
  CHECK(config.latent());
  CHECK((config.shape.latent_dim == 12 && config.shape.rotary_key_dim == 4 && config.shape.head_dim == 8));
  CHECK((config.query_width() == 4 * (8 + 4) && config.attended_width() == 4 * 6));
  CHECK(config.rope_pairs == RopePairs::interleaved);
  CHECK((config.norm_epsilon == 0.25F && config.latent_norm_epsilon == 1e-6F));
  CHECK_THAT(refused_deepseek({{"first_k_dense_replace", 1}}), contains("first_k_dense_replace: a mixture of experts"));
  CHECK_THAT(refused_deepseek({{"first_k_dense_replace", nullptr}}), contains("first_k_dense_replace: a mixture of"));
  CHECK_THAT(refused_deepseek({{"q_lora_rank", 1536}}), contains("q_lora_rank: queries of low rank"));
  CHECK_THAT(refused_deepseek({{"num_key_value_heads", 2}}), contains("num_key_value_heads: with latent attention"));
  CHECK_THAT(refused_deepseek({{"attention_bias", true}}), contains("attention_bias: true is not supported"));
  CHECK_THAT(refused_deepseek({{"kv_lora_rank", nullptr}}), contains("kv_lora_rank: it is missing"));
  CHECK_THAT(refused_deepseek({{"mlp_bias", true}}), contains("mlp_bias: true is not supported"));
  for (const std::string kind : {"yarn", "linear", "llama3"}) {
    CHECK_THAT(refused_deepseek({{"rope_scaling", {{"type", kind}, {"factor", 4}}}}),
               contains("rope_scaling.rope_type: the rotary scaling " + kind + " is not supported with latent"));
    CHECK_THAT(refused_deepseek({{"rope_parameters", {{"rope_type", kind}, {"factor", 4}}}}),
               contains("rope_parameters.rope_type: the rotary scaling " + kind));
  }
}

TEST_CASE("a number that is missing, of another kind or out of range is named") {
  CHECK_THAT(refused_llama({{"hidden_size", nullptr}}), contains("hidden_size: it is missing"));
  CHECK_THAT(refused_llama({{"hidden_size", "32"}}), contains("hidden_size: it is \"32\", expected a whole number"));
  CHECK_THAT(refused_llama({{"hidden_size", -1}}), contains("hidden_size: it is -1, expected a whole number"));
  CHECK_THAT(refused_llama({{"vocab_size", 4294967296}}), contains("vocab_size: it is 4294967296"));
  CHECK_THAT(refused_llama({{"rope_scaling", {{"rope_type", "linear"}}}}), contains("rope_scaling.factor: it is mis"));
  CHECK_THAT(refused("Qwen3ForCausalLM", {{"head_dim", nullptr}}), contains("head_dim: it is missing"));
}

TEST_CASE("Conv1D of GPT-2 is turned round, and its three projections are cut apart") {
  const auto loaded = load_folder(golden_models() / "gpt2");
  const TensorTable tensors = open_safetensors(golden_models() / "gpt2/model.safetensors");
  const auto file = [&](const std::string& name, std::size_t input, std::size_t output) {
    const TensorInfo& tensor = *tensors.find("transformer.h.1." + name);
    float number = 0;
    std::memcpy(&number, tensor.bytes.data() + 4 * (input * tensor.shape[1] + output), 4);
    return number;
  };
  const LayerWeights& layer = loaded.model->weights.layers[1];
  CHECK(layer.query.f32()(3, 5) == file("attn.c_attn.weight", 5, 3));
  CHECK(layer.key.f32()(3, 5) == file("attn.c_attn.weight", 5, 32 + 3));
  CHECK(layer.value.f32()(31, 0) == file("attn.c_attn.weight", 0, 64 + 31));
  CHECK(layer.up.f32()(47, 2) == file("mlp.c_fc.weight", 2, 47));
  CHECK(layer.down.f32()(2, 47) == file("mlp.c_proj.weight", 47, 2));
}

TEST_CASE("weights keep their type, and plain ones lie on 64-byte boundaries") {
  const std::string name = GENERATE(as<std::string>{}, "llama", "llama_bf16_shards", "mistral_f16", "gpt2");
  const auto loaded = load_folder(golden_models() / name);
  const LayerWeights& layer = loaded.model->weights.layers[1];
  CHECK(layer.query.type == loaded.model->weights.embedding.type);
  for (const WeightMatrix* weight : {&layer.query, &layer.key, &layer.down, &loaded.model->weights.head}) {
    CHECK(reinterpret_cast<std::uintptr_t>(weight->data) % 64 == 0);
  }
}

TEST_CASE("weights that do not fit the config are refused by the tensor's name") {
  const ScratchFolder folder;
  copy_model("qwen2", folder);
  json config = json::parse(std::ifstream(golden_models() / "qwen2/config.json"));
  const auto with = [&](const std::string& field, const json& number) {
    json changed = config;
    changed[field] = number;
    folder.write("config.json", changed.dump());
    return kvarium_test::refusal([&] { load_folder(folder.path()); });
  };
  CHECK_THAT(with("vocab_size", 65), contains("tensor model.embed_tokens.weight has shape [64][32], and the model's "
                                              "numbers ask for [65][32]"));
  CHECK_THAT(with("num_hidden_layers", 3), contains("tensor model.layers.2.input_layernorm.weight is missing"));
  CHECK_THAT(with("num_hidden_layers", 1), contains("tensor model.layers.1.input_layernorm.weight is of no use"));
  CHECK_THAT(with("num_hidden_layers", 4'000'000'000U), contains("the number of layers is 4000000000"));
  CHECK_THAT(with("num_key_value_heads", 3), contains("4 query heads cannot share 3 KV heads"));
}

TEST_CASE("latent weights that do not fit the config are refused by the tensor's name") {
  const ScratchFolder folder;
  copy_model("deepseek_v2_f16", folder);
  const json config = json::parse(std::ifstream(golden_models() / "deepseek_v2_f16/config.json"));
  const auto with = [&](const std::string& field, const json& number) {
    json changed = config;
    changed[field] = number;
    folder.write("config.json", changed.dump());
    return kvarium_test::refusal([&] { load_folder(folder.path()); });
  };
  CHECK_THAT(with("kv_lora_rank", 13), contains("self_attn.kv_a_proj_with_mqa.weight has shape [16][32], and the "
                                                "model's numbers ask for [17][32]"));
  CHECK_THAT(with("v_head_dim", 7), contains("self_attn.kv_b_proj.weight has shape [56][12], and the model's numbers "
                                             "ask for [60][12]"));
  CHECK_THAT(with("qk_nope_head_dim", 4), contains("self_attn.q_proj.weight has shape [48][32]"));
  CHECK_THAT(with("qk_rope_head_dim", 5), contains("5 numbers of a head are rotated"));
  CHECK_THAT(with("architectures", json::array({"LlamaForCausalLM"})), contains("a mixture of experts"));
}

TEST_CASE("a norm with a number that is not finite is refused") {
  const ScratchFolder folder;
  copy_model("qwen2", folder);
  const TensorTable tensors = open_safetensors(folder.path() / "model.safetensors");
  const TensorInfo& norm = *tensors.find("model.norm.weight");
  const auto offset = static_cast<std::streamoff>(norm.bytes.data() - norm.file->bytes().data());
  std::fstream file(folder.path() / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset + 4 * 7);
  file.write(kvarium_test::number_bytes(NAN).data(), 4);
  file.close();
  CHECK_THAT(kvarium_test::refusal([&] { load_folder(folder.path()); }),
             contains("number 7 of tensor model.norm.weight is nan"));
}

TEST_CASE("a folder without weights, or without a config, is refused") {
  const ScratchFolder folder;
  CHECK_THAT(kvarium_test::refusal([&] { load_folder(folder.path()); }),
             contains("config.json: there is no such file"));
  folder.write("config.json", config_json("LlamaForCausalLM", json::object()));
  folder.write("pytorch_model.bin", "x");
  CHECK_THAT(kvarium_test::refusal([&] { load_folder(folder.path()); }), contains("there is no model.safetensors"));
}

TEST_CASE("loading tells how far it is, and can be stopped") {
  std::vector<Progress> told;
  const OnProgress tell = [&](const Progress& progress) { told.push_back(progress); };
  CancelToken cancel;
  load_hugging_face(golden_models() / "qwen2", {}, tell, cancel);
  REQUIRE(!told.empty());
  CHECK(told.back().done == told.back().total);
  const OnProgress stop = [&](const Progress&) { cancel.cancel(); };
  CHECK_THROWS_AS(load_hugging_face(golden_models() / "qwen2", {}, stop, cancel), LoadCancelled);
}
