#include "tests/support/model_writer.h"

#include <nlohmann/json.hpp>

namespace kvarium_test {

using namespace kvarium::cpu;

namespace {

std::string bytes_of_numbers(const float* numbers, std::size_t count) {
  return {reinterpret_cast<const char*>(numbers), count * sizeof(float)};
}

/// A tensor of either format, before it is named.
struct Plain {
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

Plain plain(const WeightMatrix& weight) {
  return {{static_cast<std::uint64_t>(weight.rows), static_cast<std::uint64_t>(weight.columns)},
          bytes_of_numbers(weight.f32().data(), weight.numbers())};
}
Plain plain(const Vector& vector) {
  return {{static_cast<std::uint64_t>(vector.size())},
          bytes_of_numbers(vector.data(), static_cast<std::size_t>(vector.size()))};
}

/// Row 2i of a head goes to i, row 2i + 1 to i + head_dim / 2.
Plain halves(const WeightMatrix& weight, Index head_dim) {
  const Matrix from = weight.f32();
  Matrix to(from.rows(), from.cols());
  for (Index row = 0; row < from.rows(); ++row) {
    const Index head = row / head_dim, in_head = row % head_dim;
    to.row(head * head_dim + in_head / 2 + (in_head % 2) * head_dim / 2) = from.row(row);
  }
  return {{static_cast<std::uint64_t>(to.rows()), static_cast<std::uint64_t>(to.cols())},
          bytes_of_numbers(to.data(), static_cast<std::size_t>(to.size()))};
}

}  // namespace

GgufWriter gguf_of(const Model& model) {
  const ModelConfig& config = model.config;
  GgufWriter writer;
  writer.text("general.architecture", "llama").text("general.name", config.shape.name);
  writer.u32("llama.block_count", config.shape.layers).u32("llama.embedding_length", config.shape.hidden);
  writer.u32("llama.context_length", config.shape.context).u32("llama.feed_forward_length", config.ffn_hidden);
  writer.u32("llama.attention.head_count", config.shape.query_heads);
  writer.u32("llama.attention.head_count_kv", config.shape.kv_heads);
  writer.f32("llama.attention.layer_norm_rms_epsilon", config.norm_epsilon);
  writer.f32("llama.rope.freq_base", config.rope_theta).u32("llama.rope.dimension_count", config.shape.head_dim);
  const auto add = [&](const std::string& name, Plain tensor) {
    writer.tensor({name + ".weight", std::move(tensor.shape), 0, std::move(tensor.bytes)});
  };
  add("token_embd", plain(model.weights.embedding));
  for (std::size_t l = 0; l < model.weights.layers.size(); ++l) {
    const LayerWeights& layer = model.weights.layers[l];
    const std::string prefix = "blk." + std::to_string(l) + ".";
    add(prefix + "attn_norm", plain(layer.attention_norm));
    add(prefix + "attn_q", plain(layer.query));
    add(prefix + "attn_k", plain(layer.key));
    add(prefix + "attn_v", plain(layer.value));
    add(prefix + "attn_output", plain(layer.output));
    add(prefix + "ffn_norm", plain(layer.ffn_norm));
    add(prefix + "ffn_gate", plain(layer.gate));
    add(prefix + "ffn_up", plain(layer.up));
    add(prefix + "ffn_down", plain(layer.down));
  }
  add("output_norm", plain(model.weights.final_norm));
  if (!config.tied_head) add("output", plain(model.weights.head));
  return writer;
}

void add_spm_tokenizer(GgufWriter& writer, const Tokenizer& tokenizer) {
  std::vector<std::string> texts;
  std::vector<float> scores;
  std::vector<std::int32_t> kinds;
  for (const Piece& piece : tokenizer.pieces()) {
    // GGUF writes SentencePiece's spaces, U+2581, where llama2.c has plain ones.
    std::string text;
    for (const char byte : piece.bytes) text += byte == ' ' ? std::string("\xE2\x96\x81") : std::string(1, byte);
    texts.push_back(text);
    scores.push_back(piece.score);
    kinds.push_back(static_cast<std::int32_t>(piece.kind));
  }
  writer.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", texts);
  writer.reals("tokenizer.ggml.scores", scores).integers("tokenizer.ggml.token_type", kinds);
  writer.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
}

void write_hugging_face(const Model& model, const ScratchFolder& folder) {
  const ModelConfig& config = model.config;
  const nlohmann::json json = {{"architectures", {"LlamaForCausalLM"}},
                               {"num_hidden_layers", config.shape.layers},
                               {"num_attention_heads", config.shape.query_heads},
                               {"num_key_value_heads", config.shape.kv_heads},
                               {"hidden_size", config.shape.hidden},
                               {"intermediate_size", config.ffn_hidden},
                               {"max_position_embeddings", config.shape.context},
                               {"vocab_size", config.shape.vocab},
                               {"rms_norm_eps", config.norm_epsilon},
                               {"rope_theta", config.rope_theta},
                               {"tie_word_embeddings", config.tied_head}};
  folder.write("config.json", json.dump());
  nlohmann::json header;
  std::string data;
  const auto add = [&](const std::string& name, const Plain& tensor) {
    header[name + ".weight"] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  };
  add("model.embed_tokens", plain(model.weights.embedding));
  for (std::size_t l = 0; l < model.weights.layers.size(); ++l) {
    const LayerWeights& layer = model.weights.layers[l];
    const std::string prefix = "model.layers." + std::to_string(l) + ".";
    const Index head_dim = Index{config.shape.head_dim};
    add(prefix + "input_layernorm", plain(layer.attention_norm));
    add(prefix + "self_attn.q_proj", halves(layer.query, head_dim));
    add(prefix + "self_attn.k_proj", halves(layer.key, head_dim));
    add(prefix + "self_attn.v_proj", plain(layer.value));
    add(prefix + "self_attn.o_proj", plain(layer.output));
    add(prefix + "post_attention_layernorm", plain(layer.ffn_norm));
    add(prefix + "mlp.gate_proj", plain(layer.gate));
    add(prefix + "mlp.up_proj", plain(layer.up));
    add(prefix + "mlp.down_proj", plain(layer.down));
  }
  add("model.norm", plain(model.weights.final_norm));
  if (!config.tied_head) add("lm_head", plain(model.weights.head));
  const std::string text = header.dump();
  folder.write("model.safetensors", number_bytes(std::uint64_t{text.size()}) + text + data);
}

}  // namespace kvarium_test
