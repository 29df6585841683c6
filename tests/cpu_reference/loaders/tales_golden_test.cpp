// The shipped models over whole held-out texts: their logits are those of transformers (tests/golden/tales.py).

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/perplexity.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

const std::filesystem::path kGolden = std::filesystem::path(KVARIUM_SOURCE_DIR) / "tests/golden/tales";
constexpr std::size_t kStride = 31;

nlohmann::json read_json(const char* name) {
  std::ifstream file(kGolden / name);
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

std::vector<std::vector<TokenId>> texts() {
  std::vector<std::vector<TokenId>> all;
  for (const auto& ids : read_json("tokens.json")) {
    all.emplace_back();
    for (const int id : ids) all.back().push_back(TokenId{id});
  }
  return all;
}

/// As the script writes it, four numbers a token: the logit of what follows, the largest, the logarithm of the sum of
/// exponentials, one that walks over the vocabulary.
std::vector<float> numbers_of(std::span<const float> logits, std::span<const TokenId> ids) {
  const std::size_t vocab = logits.size() / ids.size();
  std::vector<float> numbers;
  for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
    const auto row = logits.subspan(t * vocab, vocab);
    const float following = row[index(ids[t + 1])];
    numbers.push_back(following);
    numbers.push_back(*std::max_element(row.begin(), row.end()));
    numbers.push_back(static_cast<float>(surprise(row, ids[t + 1]) + static_cast<double>(following)));
    numbers.push_back(row[t * kStride % vocab]);
  }
  return numbers;
}

}  // namespace

TEST_CASE("the logits of every shipped model are those of transformers over whole held-out texts") {
  const std::size_t which = GENERATE(range(std::size_t{0}, shipped_model_names().size()));
  const std::string name(shipped_model_names().at(which));
  const Model& model = *shipped_model(name).model;
  std::ifstream file(kGolden / (name + ".f32"), std::ios::binary);
  REQUIRE(file);
  for (const std::vector<TokenId>& ids : texts()) {
    Work work;
    const auto computed = numbers_of(Transformer(model).forward_uncached_all(ids, work), ids);
    std::vector<float> expected(computed.size());
    file.read(reinterpret_cast<char*>(expected.data()), static_cast<std::streamsize>(expected.size() * sizeof(float)));
    REQUIRE(file);
    // As for the tiny models; the angles of transformers are float32 too, and off by half a unit in the last place of
    // the position: at position 500 of a text eight times as much as at 60.
    const float tolerance = kvarium_test::reordering_tolerance(model.config, expected) *
                            std::max(1.0F, static_cast<float>(ids.size()) / 64);
    INFO(name << ": the largest difference is " << kvarium_test::difference(computed, expected) << " of " << tolerance);
    CHECK(kvarium_test::difference(computed, expected) <= tolerance);
  }
}

TEST_CASE("the shipped tokenizer gives the ids of tokenizers, and the text comes back") {
  const Tokenizer& tokenizer = *shipped_model("tales-target").tokenizer;
  const auto ids = texts();
  const auto written = read_json("texts.json").get<std::vector<std::string>>();
  REQUIRE(ids.size() == written.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::vector<TokenId> whole = tokenizer.encode_with_specials(written[i]);
    whole.insert(whole.begin(), tokenizer.begin().value());
    CHECK(whole == ids[i]);
    CHECK(tokenizer.decode(tokenizer.encode(written[i])) == written[i]);
  }
}

TEST_CASE("all the shipped models together stay below 8 MiB") {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped_models_folder())) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  CHECK(bytes > 1'000'000);
  CHECK(bytes < 8U * 1024 * 1024);
}
