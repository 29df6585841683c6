// The same weights in three formats write the same story. Skips where the golden data is absent.

#include <optional>

#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/loaders/open_model.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"
#include "tests/cpu_reference/loaders/golden_models.h"
#include "tests/support/model_writer.h"
#include "tests/support/shared_data.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::largest;
using kvarium_test::ScratchFolder;

namespace {

constexpr std::size_t kGiven = 16;  // the begin token and a prompt of 15; what follows was chosen greedily
constexpr std::size_t kTokens = 64;

struct Stories {
  std::filesystem::path folder;
  std::shared_ptr<const Model> model;
  std::vector<TokenId> tokens;
};

std::optional<Stories> stories() {
  Stories found;
  found.folder = kvarium_test::shared_data_folder();
  for (const char* file : {"stories260K.bin", "stories260K.golden.json", "tok512.bin"}) {
    if (std::filesystem::exists(found.folder / file)) continue;
    WARN("SKIPPED: " << (found.folder / file).string() << " is missing; set KVARIUM_SHARED_DATA to its folder");
    return std::nullopt;
  }
  found.model = load_llama2c((found.folder / "stories260K.bin").string());
  std::ifstream file(found.folder / "stories260K.golden.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  for (const int token : json.at("tokens")) found.tokens.push_back(TokenId{token});
  return found;
}

std::vector<TokenId> written(const Model& model, std::span<const TokenId> prompt) {
  const Transformer transformer(model);
  ContiguousKvCache cache(model.config.shape, kTokens);
  Work work;
  std::vector<TokenId> tokens(prompt.begin(), prompt.end());
  std::vector<float> logits = transformer.prefill(prompt, cache, work);
  while (tokens.size() < kTokens) {
    tokens.push_back(largest(logits));
    if (tokens.size() < kTokens) logits = transformer.decode_one(tokens.back(), cache, work);
  }
  return tokens;
}

}  // namespace

TEST_CASE("stories260K writes the golden story out of safetensors") {
  const auto golden = stories();
  if (!golden) return;
  const ScratchFolder folder;
  kvarium_test::write_hugging_face(*golden->model, folder);
  const auto loaded = kvarium_test::load_folder(folder.path());
  CHECK(loaded.model->config.rope_pairs == RopePairs::halves);
  CHECK(written(*loaded.model, std::span(golden->tokens).first(kGiven)) == golden->tokens);
}

TEST_CASE("stories260K writes the golden story out of GGUF, from the text of the prompt on") {
  const auto golden = stories();
  if (!golden) return;
  const auto tokenizer = load_tokenizer(golden->folder / "tok512.bin", std::nullopt);
  auto writer = kvarium_test::gguf_of(*golden->model);
  kvarium_test::add_spm_tokenizer(writer, *tokenizer);
  const ScratchFolder folder;
  const auto opened = open_model(folder.write("stories260K.gguf", writer.bytes()), {}, CancelToken{});
  REQUIRE(opened);
  const std::vector<TokenId> given(golden->tokens.begin(), golden->tokens.begin() + kGiven);
  CHECK(opened->tokenizer->encode(tokenizer->decode(given)) == given);
  const std::vector<TokenId> story = written(*opened->model, given);
  CHECK(story == golden->tokens);
  CHECK(opened->tokenizer->decode(story) == tokenizer->decode(golden->tokens));
}

TEST_CASE("stories260K is opened as llama2.c keeps it, with its tokenizer beside it") {
  const auto golden = stories();
  if (!golden) return;
  const auto opened = open_model(golden->folder / "stories260K.bin", {}, CancelToken{});
  REQUIRE(opened);
  CHECK(written(*opened->model, std::span(golden->tokens).first(kGiven)) == golden->tokens);
  CHECK(opened->facts.front() == "stories260K: a llama2.c checkpoint of llama");
  CHECK(opened->facts.at(1) == "5 layers of width 64, 8 query heads over 4 KV heads of 8, feed-forward 172");
}
