// Real weights against logits that llama2.c made from them: the oracle's oracle.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/blocks/block_table.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/shared_data.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::largest;

namespace {

/// The beginning of the sequence and 15 tokens of prompt; what follows was chosen greedily.
constexpr std::size_t kGiven = 16;

struct Golden {
  std::shared_ptr<const Model> model;
  std::vector<TokenId> tokens;
  std::vector<float> logits;  ///< [tokens][vocab]: row t follows from tokens [0, t]

  std::span<const float> row(std::size_t t) const {
    return std::span(logits).subspan(t * model->config.shape.vocab, model->config.shape.vocab);
  }
};

/// Nothing, after saying so, where the data is absent.
std::optional<Golden> load_golden() {
  const std::filesystem::path folder = kvarium_test::shared_data_folder();
  for (const char* name : {"stories260K.bin", "stories260K.golden.json", "stories260K.logits.f32"}) {
    if (!std::filesystem::exists(folder / name)) {
      WARN("SKIPPED: " << (folder / name).string() << " is missing; set KVARIUM_SHARED_DATA to the folder that has it");
      return std::nullopt;
    }
  }
  Golden golden;
  golden.model = load_llama2c((folder / "stories260K.bin").string());
  std::ifstream file(folder / "stories260K.golden.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  for (const int token : json.at("tokens")) golden.tokens.push_back(TokenId{token});
  golden.logits.resize(golden.tokens.size() * golden.model->config.shape.vocab);
  std::ifstream numbers(folder / "stories260K.logits.f32", std::ios::binary);
  numbers.read(reinterpret_cast<char*>(golden.logits.data()),
               static_cast<std::streamsize>(golden.logits.size() * sizeof(float)));
  REQUIRE(numbers);
  return golden;
}

/// The worst |ours - golden| / (1e-4 + 1e-4 |golden|): at most 1. NaN counts as infinity.
float worst(std::span<const float> ours, std::span<const float> golden) {
  if (ours.size() != golden.size()) return INFINITY;
  float found = 0.0F;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const float ratio = std::abs(ours[i] - golden[i]) / (1e-4F + 1e-4F * std::abs(golden[i]));
    if (std::isnan(ratio)) return INFINITY;
    found = std::max(found, ratio);
  }
  return found;
}

}  // namespace

TEST_CASE("golden: without a cache all logits are those of llama2.c") {
  const auto golden = load_golden();
  if (!golden) return;
  Work work;
  const auto logits = Transformer(*golden->model).forward_uncached_all(golden->tokens, work);
  const float found = worst(logits, golden->logits);
  INFO("worst logit: " << found << " of the allowed difference");
  CHECK(found <= 1.0F);
}

TEST_CASE("golden: without a cache the greedy tokens are those of llama2.c") {
  const auto golden = load_golden();
  if (!golden) return;
  std::vector<TokenId> tokens(golden->tokens.begin(), golden->tokens.begin() + kGiven);
  Work work;
  while (tokens.size() < 64) tokens.push_back(largest(Transformer(*golden->model).forward_uncached(tokens, work)));
  CHECK(tokens == golden->tokens);
}

TEST_CASE("golden: with a contiguous cache all logits and greedy tokens are those of llama2.c") {
  const auto golden = load_golden();
  if (!golden) return;
  const Transformer transformer(*golden->model);
  ContiguousKvCache cache(golden->model->config.shape, 64);
  Work work;
  TokenId next = golden->tokens[0];
  for (std::size_t t = 0; t < golden->tokens.size(); ++t) {
    if (t < kGiven) next = golden->tokens[t];
    REQUIRE(next == golden->tokens[t]);
    const auto logits = transformer.decode_one(next, cache, work);
    REQUIRE(worst(logits, golden->row(t)) <= 1.0F);
    next = largest(logits);
  }
}

TEST_CASE("golden: through scrambled blocks all logits and greedy tokens are those of llama2.c") {
  const auto golden = load_golden();
  if (!golden) return;
  const std::uint32_t block_size = GENERATE(1U, 3U, 4U, 16U);
  CAPTURE(block_size);
  const Transformer transformer(*golden->model);
  NullSink sink;
  BlockPool pool(block_size, scrambled_order(64, 11), sink);
  BlockTable table(pool, RequestId{0});
  PagedKvStore store(golden->model->config.shape, 64, block_size);
  Work work;

  // The prompt in two chunks, then one token a step.
  const std::span tokens(golden->tokens);
  const auto run = [&](std::span<const TokenId> step) {
    const std::uint32_t computed = table.num_tokens();
    REQUIRE(table.append(static_cast<std::uint32_t>(step.size())));
    PagedKvSequence sequence(store, table.blocks(), computed);
    return transformer.prefill(step, sequence, work);
  };
  CHECK(worst(run(tokens.first(5)), golden->row(4)) <= 1.0F);
  std::vector<float> logits = run(tokens.subspan(5, kGiven - 5));
  for (std::size_t t = kGiven; t < tokens.size(); ++t) {
    REQUIRE(worst(logits, golden->row(t - 1)) <= 1.0F);
    REQUIRE(largest(logits) == tokens[t]);
    logits = run(tokens.subspan(t, 1));
  }
  CHECK(worst(logits, golden->row(63)) <= 1.0F);
  table.release();
}
