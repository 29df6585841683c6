#pragma once
// Tiny models of the official packages, and the logits that transformers computed from them (tests/golden/*.py).

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cpu_reference/loaders/gguf_model.h"
#include "cpu_reference/loaders/hugging_face.h"
#include "tests/cpu_reference/support.h"

namespace kvarium_test {

inline std::filesystem::path golden_models() {
  return std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/models";
}

inline kvarium::cpu::LoadedModel load_folder(const std::filesystem::path& folder) {
  return kvarium::cpu::load_hugging_face(folder, {}, {}, kvarium::CancelToken{});
}
inline kvarium::cpu::LoadedModel load_gguf_file(const std::filesystem::path& path) {
  return kvarium::cpu::load_gguf(kvarium::cpu::open_gguf(path), {}, kvarium::CancelToken{});
}

struct GoldenModel {
  kvarium::cpu::LoadedModel loaded;
  std::vector<TokenId> tokens;
  std::vector<float> logits;  ///< [tokens][vocab]

  std::span<const float> row(std::size_t t) const {
    const std::size_t vocab = logits.size() / tokens.size();
    return std::span(logits).subspan(t * vocab, vocab);
  }
};

/// `name` is a folder of Hugging Face's, or with ".gguf" a file.
inline GoldenModel load_golden_model(const std::string& name) {
  GoldenModel golden;
  const std::filesystem::path path = golden_models() / name;
  const bool is_gguf = path.extension() == ".gguf";
  golden.loaded = is_gguf ? load_gguf_file(path) : load_folder(path);
  const std::string beside = is_gguf ? (golden_models() / path.stem()).string() + "." : path.string() + "/";
  std::ifstream tokens(beside + "tokens.json");
  for (const int token : nlohmann::json::parse(tokens)) golden.tokens.push_back(TokenId{token});
  golden.logits.resize(golden.tokens.size() * golden.loaded.model->config.shape.vocab);
  std::ifstream logits(beside + "logits.f32", std::ios::binary);
  logits.read(reinterpret_cast<char*>(golden.logits.data()),
              static_cast<std::streamsize>(golden.logits.size() * sizeof(float)));
  REQUIRE(logits);
  return golden;
}

}  // namespace kvarium_test
