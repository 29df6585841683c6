#include "cpu_reference/loaders/hugging_face.h"

#include <fmt/format.h>

#include <utility>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/hf_config.h"
#include "cpu_reference/loaders/llama_weights.h"
#include "cpu_reference/loaders/safetensors.h"

namespace kvarium::cpu {
namespace {

/// GPT-2's Conv1D keeps a weight as [inputs][outputs]: it is turned round here. Query, key and value lie side by side
/// in c_attn.
LayerWeights take_gpt2_layer(WeightTaker& taker, const ModelConfig& config, const std::string& prefix) {
  const std::uint32_t hidden = config.shape.hidden, ffn = config.ffn_hidden;
  const auto part = [&](std::uint32_t which) {
    return taker.transposed(prefix + "attn.c_attn.weight", 3 * hidden, which * hidden, hidden, hidden);
  };
  const auto bias_part = [&](std::uint32_t which) {
    return taker.vector(prefix + "attn.c_attn.bias", 3 * hidden, which * hidden, hidden);
  };
  LayerWeights layer;
  layer.attention_norm = taker.vector(prefix + "ln_1.weight", hidden);
  layer.attention_norm_bias = taker.vector(prefix + "ln_1.bias", hidden);
  layer.query = part(0);
  layer.key = part(1);
  layer.value = part(2);
  layer.query_bias = bias_part(0);
  layer.key_bias = bias_part(1);
  layer.value_bias = bias_part(2);
  layer.output = taker.transposed(prefix + "attn.c_proj.weight", hidden, 0, hidden, hidden);
  layer.output_bias = taker.vector(prefix + "attn.c_proj.bias", hidden);
  layer.ffn_norm = taker.vector(prefix + "ln_2.weight", hidden);
  layer.ffn_norm_bias = taker.vector(prefix + "ln_2.bias", hidden);
  layer.up = taker.transposed(prefix + "mlp.c_fc.weight", ffn, 0, ffn, hidden);
  layer.up_bias = taker.vector(prefix + "mlp.c_fc.bias", ffn);
  layer.down = taker.transposed(prefix + "mlp.c_proj.weight", hidden, 0, hidden, ffn);
  layer.down_bias = taker.vector(prefix + "mlp.c_proj.bias", hidden);
  return layer;
}

Weights take_gpt2_weights(WeightTaker& taker, const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  // Newer files put the name of the part before every name.
  const std::string prefix = taker.has("transformer.wte.weight") ? "transformer." : "";
  Weights weights;
  weights.embedding = taker.matrix(prefix + "wte.weight", shape.vocab, shape.hidden);
  weights.position_embedding = taker.matrix(prefix + "wpe.weight", shape.context, shape.hidden);
  for (std::uint32_t l = 0; l < shape.layers; ++l) {
    weights.layers.push_back(take_gpt2_layer(taker, config, fmt::format("{}h.{}.", prefix, l)));
  }
  weights.final_norm = taker.vector(prefix + "ln_f.weight", shape.hidden);
  weights.final_norm_bias = taker.vector(prefix + "ln_f.bias", shape.hidden);
  weights.head = config.tied_head ? weights.embedding : taker.matrix("lm_head.weight", shape.vocab, shape.hidden);
  weights.memory = taker.memory();
  return weights;
}

TensorTable open_weights(const std::filesystem::path& folder, const std::filesystem::path& weights) {
  if (!weights.empty()) return open_safetensors(weights);
  std::error_code error;
  const std::filesystem::path whole = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(whole, error)) return open_safetensors(whole);
  if (std::filesystem::exists(index, error)) return open_sharded_safetensors(index);
  fail_file(folder.string(), std::string(tr("there is no model.safetensors and no model.safetensors.index.json in it: "
                                            "other forms of weights are not supported")));
}

}  // namespace

std::map<std::string, int> count_types(const TensorTable& tensors) {
  std::map<std::string, int> counts;
  for (const auto& [key, tensor] : tensors.all()) ++counts[std::string(name(tensor.type))];
  return counts;
}

LoadedModel load_hugging_face(const std::filesystem::path& folder, const std::filesystem::path& weights,
                              const OnProgress& on_progress, const CancelToken& cancel) {
  HfConfig config = read_hf_config(folder / "config.json");
  const std::filesystem::path named = std::filesystem::absolute(folder).lexically_normal();
  config.model.shape.name = (named.has_filename() ? named : named.parent_path()).filename().string();
  const std::string where = tr_format("model file {}", folder.string());
  check(config.model, where);  // before its numbers are multiplied
  const TensorTable tensors = open_weights(folder, weights);
  WeightTaker taker(tensors, folder.string(), on_progress, cancel);
  const bool is_gpt2 = config.model.positions == Positions::learned;
  Weights taken =
      is_gpt2 ? take_gpt2_weights(taker, config.model) : take_llama_weights(taker, config.model, hugging_face_names());
  // Tables that old versions kept with the weights and that follow from the config; a tied head may be there twice.
  std::vector<std::string> harmless{".rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias"};
  if (config.model.tied_head) harmless.emplace_back("lm_head.weight");
  taker.expect_all_taken(harmless);
  LoadedModel loaded;
  loaded.model = std::make_shared<const Model>(config.model, std::move(taken), where);
  loaded.format = "safetensors";
  loaded.architecture = config.architecture;
  loaded.type_counts = count_types(tensors);
  loaded.mapped_bytes = taker.mapped_bytes();
  loaded.copied_bytes = taker.copied_bytes();
  return loaded;
}

}  // namespace kvarium::cpu
