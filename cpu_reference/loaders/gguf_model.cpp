#include "cpu_reference/loaders/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/llama_weights.h"

namespace kvarium::cpu {
namespace {

/// The keys of one architecture: "llama.block_count".
class ModelKeys {
 public:
  explicit ModelKeys(const GgufMetadata& keys) : keys_(keys), architecture_(keys.needed_text("general.architecture")) {}

  const GgufMetadata& all() const { return keys_; }
  const std::string& architecture() const { return architecture_; }
  std::string key(const std::string& name) const { return architecture_ + "." + name; }
  [[noreturn]] void fail(const std::string& what) const { fail_file(keys_.file(), what); }

  std::uint32_t needed(const std::string& name) const { return small(name, keys_.needed_whole(key(name))); }
  std::uint32_t whole(const std::string& name, std::uint32_t otherwise) const {
    return small(name, keys_.whole(key(name)).value_or(otherwise));
  }
  float real(const std::string& name, double otherwise) const {
    return static_cast<float>(keys_.real(key(name)).value_or(otherwise));
  }

 private:
  std::uint32_t small(const std::string& name, std::uint64_t value) const {
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      fail(tr_format("{} is {}, which is above 4294967295: the file is damaged", key(name), value));
    }
    return static_cast<std::uint32_t>(value);
  }

  const GgufMetadata& keys_;
  std::string architecture_;
};

void refuse_unsupported(const ModelKeys& keys) {
  const std::string& architecture = keys.architecture();
  if (architecture != "llama" && architecture != "qwen2" && architecture != "qwen3") {
    keys.fail(tr_format("general.architecture: {} is not supported: choose a model of llama, qwen2 or qwen3",
                        shown(architecture)));
  }
  if (keys.whole("expert_count", 0) > 0) {
    keys.fail(tr_format("{}: a mixture of experts is not supported: choose a dense model", keys.key("expert_count")));
  }
}

RopeScaling scaling_of(const ModelKeys& keys) {
  RopeScaling scaling;
  // Without a kind a factor is linear, as llama.cpp takes it; old files have only the factor, under another name.
  const std::string kind(keys.all().text(keys.key("rope.scaling.type")).value_or("linear"));
  const float factor = keys.real("rope.scaling.factor", double{keys.real("rope.scale_linear", 1.0)});
  if (kind == "linear" && factor != 1.0F && factor != 0.0F) {
    scaling.kind = RopeScaling::Kind::linear;
    scaling.factor = factor;
  } else if (kind != "none" && kind != "linear") {
    keys.fail(
        tr_format("{}: the rotary scaling {} is not supported: linear is", keys.key("rope.scaling.type"), shown(kind)));
  }
  return scaling;
}

/// Llama 3 in GGUF: what each frequency is divided by, computed by the program that made the file.
std::vector<float> freq_factors(const GgufFile& gguf) {
  const TensorInfo* tensor = gguf.tensors.find("rope_freqs.weight");
  if (tensor == nullptr) return {};
  if (tensor->type != WeightType::f32 || tensor->shape.size() != 1) {
    fail_file(gguf.file->name(), tr_format("tensor rope_freqs.weight is {} {}, expected F32 of one side: the file is "
                                           "damaged",
                                           name(tensor->type), shape_text(tensor->shape)));
  }
  std::vector<float> factors(tensor->bytes.size() / sizeof(float));
  std::copy_n(tensor->bytes.data(), tensor->bytes.size(), reinterpret_cast<std::byte*>(factors.data()));
  return factors;
}

std::uint32_t vocab_of(const GgufFile& gguf) {
  const TensorInfo* embedding = gguf.tensors.find(gguf_names().embedding + ".weight");
  if (embedding == nullptr) {
    fail_file(gguf.file->name(), std::string(tr("tensor token_embd.weight is missing: the file has no whole model")));
  }
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(embedding->shape.front(), std::numeric_limits<std::uint32_t>::max()));
}

void read_shape(const ModelKeys& keys, ModelShape& shape) {
  shape.layers = keys.needed("block_count");
  shape.hidden = keys.needed("embedding_length");
  shape.context = keys.needed("context_length");
  shape.query_heads = keys.needed("attention.head_count");
  shape.kv_heads = keys.whole("attention.head_count_kv", shape.query_heads);
  if (keys.all().has(keys.key("attention.key_length"))) {
    shape.head_dim = keys.needed("attention.key_length");
  } else if (shape.query_heads != 0 && shape.hidden % shape.query_heads == 0) {
    shape.head_dim = shape.hidden / shape.query_heads;
  } else {
    keys.fail(tr_format("a width of {} cannot be divided into {} query heads: the file is damaged", shape.hidden,
                        shape.query_heads));
  }
  if (keys.whole("attention.value_length", shape.head_dim) != shape.head_dim) {
    keys.fail(tr_format("{}: values of another width than keys are not supported", keys.key("attention.value_length")));
  }
}

}  // namespace

ModelConfig gguf_config(const GgufFile& gguf) {
  const ModelKeys keys(gguf.metadata);
  refuse_unsupported(keys);
  ModelConfig config;
  read_shape(keys, config.shape);
  config.shape.vocab = vocab_of(gguf);
  config.shape.name = std::string(gguf.metadata.text("general.name").value_or(""));
  if (config.shape.name.empty()) config.shape.name = std::filesystem::path(gguf.file->name()).stem().string();
  config.shape.name = shown(config.shape.name);
  config.ffn_hidden = keys.needed("feed_forward_length");
  config.norm_epsilon = static_cast<float>(keys.all().real(keys.key("attention.layer_norm_rms_epsilon")).value_or(0));
  config.rope_theta = keys.real("rope.freq_base", 10000.0);
  config.rotary_dim = keys.whole("rope.dimension_count", config.shape.head_dim);
  config.rope_scaling = scaling_of(keys);
  config.rope_freq_factors = freq_factors(gguf);
  config.sliding_window = keys.whole("attention.sliding_window", 0);
  // The converter of llama permutes the rows of queries and keys so that neighbours are rotated together; that of Qwen
  // leaves them as Hugging Face has them.
  config.rope_pairs = keys.architecture() == "llama" ? RopePairs::interleaved : RopePairs::halves;
  const auto has = [&](const char* tensor) { return gguf.tensors.find(tensor) != nullptr; };
  config.qkv_bias = has("blk.0.attn_q.bias");
  config.output_bias = has("blk.0.attn_output.bias");
  config.qk_norm = has("blk.0.attn_q_norm.weight");
  config.tied_head = !has("output.weight");
  return config;
}

LoadedModel load_gguf(const GgufFile& gguf, const OnProgress& on_progress, const CancelToken& cancel) {
  const ModelConfig config = gguf_config(gguf);
  const std::string where = tr_format("model file {}", gguf.file->name());
  check(config, where);  // before its numbers are multiplied
  WeightTaker taker(gguf.tensors, gguf.file->name(), on_progress, cancel);
  Weights weights = take_llama_weights(taker, config, gguf_names());
  taker.expect_all_taken({"rope_freqs.weight"});
  LoadedModel loaded;
  loaded.model = std::make_shared<const Model>(config, std::move(weights), where);
  loaded.format = fmt::format("GGUF version {}", gguf.version);
  loaded.architecture = std::string(gguf.metadata.needed_text("general.architecture"));
  loaded.type_counts = count_types(gguf.tensors);
  loaded.mapped_bytes = taker.mapped_bytes();
  loaded.copied_bytes = taker.copied_bytes();
  return loaded;
}

}  // namespace kvarium::cpu
