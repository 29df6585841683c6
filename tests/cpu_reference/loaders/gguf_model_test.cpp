#include "cpu_reference/loaders/gguf_model.h"

#include "tests/cpu_reference/loaders/golden_models.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/scratch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::GgufWriter;
using kvarium_test::golden_models;
using kvarium_test::load_gguf_file;
using kvarium_test::ScratchFolder;

namespace {

/// The keys of a model of width 4: 1 layer, 2 query heads over 1 KV head, feed-forward 3, 5 tokens.
GgufWriter keys(const std::string& architecture = "llama") {
  GgufWriter writer;
  const std::string a = architecture + ".";
  writer.text("general.architecture", architecture).u32(a + "block_count", 1).u32(a + "embedding_length", 4);
  writer.u32(a + "context_length", 8).u32(a + "feed_forward_length", 3).u32(a + "attention.head_count", 2);
  writer.u32(a + "attention.head_count_kv", 1).f32(a + "attention.layer_norm_rms_epsilon", 1e-5F);
  return writer;
}

GgufWriter& zeros(GgufWriter& writer, const std::string& name, const std::vector<std::uint64_t>& shape) {
  std::size_t numbers = 1;
  for (const std::uint64_t side : shape) numbers *= side;
  return writer.tensor({name, shape, 0, std::string(4 * numbers, '\0')});
}

GgufWriter& tensors(GgufWriter& writer) {
  zeros(writer, "token_embd.weight", {5, 4});
  zeros(writer, "output_norm.weight", {4});
  for (const char* name : {"attn_norm", "ffn_norm"}) zeros(writer, std::string("blk.0.") + name + ".weight", {4});
  for (const char* name : {"attn_q", "attn_output"}) zeros(writer, std::string("blk.0.") + name + ".weight", {4, 4});
  for (const char* name : {"attn_k", "attn_v"}) zeros(writer, std::string("blk.0.") + name + ".weight", {2, 4});
  for (const char* name : {"ffn_gate", "ffn_up"}) zeros(writer, std::string("blk.0.") + name + ".weight", {3, 4});
  return zeros(writer, "blk.0.ffn_down.weight", {4, 3});
}

std::string result(GgufWriter& writer) {
  const ScratchFolder folder;
  const auto path = folder.write("model.gguf", writer.bytes());
  return kvarium_test::refusal([&] { load_gguf_file(path); });
}

}  // namespace

TEST_CASE("each architecture has its settings") {
  const ModelConfig llama = load_gguf_file(golden_models() / "llama_freqs.gguf").model->config;
  CHECK(llama.rope_pairs == RopePairs::interleaved);
  CHECK(llama.rope_freq_factors.size() == 4);
  CHECK(llama.rope_freq_factors.back() == 4);
  CHECK((!llama.tied_head && !llama.qkv_bias && !llama.qk_norm));
  const ModelConfig qwen2 = load_gguf_file(golden_models() / "qwen2.gguf").model->config;
  CHECK(qwen2.rope_pairs == RopePairs::halves);
  CHECK((qwen2.tied_head && qwen2.qkv_bias && !qwen2.qk_norm));
  const ModelConfig qwen3 = load_gguf_file(golden_models() / "qwen3.gguf").model->config;
  CHECK(qwen3.shape.head_dim == 32);
  CHECK((!qwen3.tied_head && !qwen3.qkv_bias && qwen3.qk_norm));
  CHECK(qwen3.shape.name == "qwen3");
}

TEST_CASE("weights keep their types, and quantised ones are used where they lie in the file") {
  const LoadedModel loaded = load_gguf_file(golden_models() / "llama_types.gguf");
  const LayerWeights& layer = loaded.model->weights.layers[0];
  const auto named = [](const WeightMatrix& weight) { return std::string(name(weight.type)); };
  CHECK(named(loaded.model->weights.embedding) == "Q6_K");
  CHECK(named(layer.query) + " " + named(layer.key) + " " + named(layer.value) + " " + named(layer.output) ==
        "Q4_K Q6_K Q8_0 BF16");
  CHECK(named(layer.gate) + " " + named(layer.up) + " " + named(layer.down) == "Q4_K Q5_1 Q5_0");
  CHECK(reinterpret_cast<std::uintptr_t>(layer.output.data) % 64 == 0);
  const std::uint64_t plain = 2 * layer.output.bytes();
  CHECK(loaded.copied_bytes <= plain);
  CHECK(loaded.mapped_bytes + loaded.copied_bytes == matrix_bytes(loaded.model->weights));
}

TEST_CASE("a whole file is accepted, and one that lacks a key or a tensor is refused by its name") {
  GgufWriter whole = keys();
  CHECK(result(tensors(whole)) == "accepted");
  GgufWriter no_tensors = keys();
  CHECK_THAT(result(no_tensors), contains("tensor token_embd.weight is missing"));
  GgufWriter no_layer = keys();
  CHECK_THAT(result(zeros(no_layer, "token_embd.weight", {5, 4})),
             contains("tensor blk.0.attn_norm.weight is missing"));
  GgufWriter no_key;
  CHECK_THAT(result(no_key.text("general.architecture", "llama")), contains("it does not say llama.block_count"));
  GgufWriter no_architecture;
  CHECK_THAT(result(no_architecture), contains("it does not say general.architecture"));
}

TEST_CASE("what this transformer does not do is named by its key or tensor") {
  GgufWriter other = keys("gemma3");
  CHECK_THAT(result(other), contains("general.architecture: gemma3 is not supported: choose a model of llama, qwen2"));
  GgufWriter experts = keys();
  CHECK_THAT(result(experts.u32("llama.expert_count", 8)), contains("llama.expert_count: a mixture of experts"));
  GgufWriter yarn = keys();
  tensors(yarn.text("llama.rope.scaling.type", "yarn"));
  CHECK_THAT(result(yarn), contains("llama.rope.scaling.type: the rotary scaling yarn is not supported: linear is"));
  GgufWriter values = keys();
  CHECK_THAT(result(values.u32("llama.attention.value_length", 3)), contains("values of another width than keys"));
  GgufWriter extra = keys();
  CHECK_THAT(result(zeros(tensors(extra), "blk.0.ffn_gate.bias", {3})),
             contains("tensor blk.0.ffn_gate.bias is of no use to this architecture"));
}

TEST_CASE("numbers that no model has are refused before they are used") {
  GgufWriter layers = keys();
  layers.raw("llama.rope.dimension_count", 10, kvarium_test::number_bytes(std::uint64_t{1} << 40U));
  CHECK_THAT(result(tensors(layers)),
             contains("llama.rope.dimension_count is 1099511627776, which is above 4294967295"));
  GgufWriter heads = keys();
  heads.u32("llama.attention.key_length", 1U << 31U);
  CHECK_THAT(result(tensors(heads)), contains("the width of a head is 2147483648"));
  GgufWriter freqs = keys();
  CHECK_THAT(result(zeros(tensors(freqs), "rope_freqs.weight", {1})), contains("a rotary frequency factor is 0"));
}

TEST_CASE("linear scaling is read in its new and its old form") {
  const bool old = GENERATE(false, true);
  GgufWriter writer = keys();
  if (old) writer.f32("llama.rope.scale_linear", 4.0F);
  if (!old) writer.text("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 4.0F);
  const ScratchFolder folder;
  const auto path = folder.write("model.gguf", tensors(writer).bytes());
  const ModelConfig config = load_gguf_file(path).model->config;
  CHECK(config.rope_scaling.kind == RopeScaling::Kind::linear);
  CHECK(config.rope_scaling.factor == 4);
}
