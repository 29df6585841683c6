#include "tests/support/seeded_model.h"

#include <set>

#include "core/error.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::largest;
using kvarium_test::random_tokens;

namespace {

/// 64 tokens after the prompt, each the most likely one.
std::vector<TokenId> greedy(const Model& model, std::span<const TokenId> prompt) {
  const Transformer transformer(model);
  ContiguousKvCache cache(model.config.shape, model.config.shape.context);
  Work work;
  std::vector<TokenId> tokens{largest(transformer.prefill(prompt, cache, work))};
  while (tokens.size() < 64) tokens.push_back(largest(transformer.decode_one(tokens.back(), cache, work)));
  return tokens;
}

/// The longest stretch at the end that repeats with some period of at most 8, in tokens.
std::size_t longest_loop(const std::vector<TokenId>& tokens) {
  std::size_t longest = 0;
  for (std::size_t period = 1; period <= 8; ++period) {
    std::size_t length = 0;
    for (std::size_t i = period; i < tokens.size(); ++i) {
      length = tokens[i] == tokens[i - period] ? length + 1 : 0;
      longest = std::max(longest, length);
    }
  }
  return longest;
}

}  // namespace

TEST_CASE("the seeded model is the same for the same seed and another for another") {
  const auto one = kvarium_test::seeded_model({}), same = kvarium_test::seeded_model({});
  kvarium_test::SeededParams params;
  params.seed = 8;
  const auto other = kvarium_test::seeded_model(params);
  CHECK(one->weights.layers[1].down.f32() == same->weights.layers[1].down.f32());
  CHECK(one->weights.layers[1].down.f32() != other->weights.layers[1].down.f32());
}

TEST_CASE("the seeded model is the same on every machine") {
  // The first draw of std::mt19937_64 with seed 7, and with it the first weight, are fixed by the C++ standard.
  std::mt19937_64 draws(7);
  const double expected = (static_cast<double>(draws() >> 40) / 8388608.0 - 1.0) * std::sqrt(3.0);
  CHECK(kvarium_test::seeded_model({})->weights.embedding.f32()(0, 0) == kvarium_test::Approx(expected).epsilon(1e-6));
}

TEST_CASE("greedy decoding with the seeded model does not run into a loop") {
  const std::uint64_t seed = GENERATE(1U, 7U, 42U);
  const std::uint32_t vocab = GENERATE(96U, 259U, 512U);
  CAPTURE(seed, vocab);
  kvarium_test::SeededParams params;
  params.seed = seed;
  params.vocab = vocab;
  const auto model = kvarium_test::seeded_model(params);
  for (std::uint64_t prompt = 0; prompt < 3; ++prompt) {
    const std::vector<TokenId> tokens = greedy(*model, random_tokens(8, vocab, prompt));
    CHECK(std::set(tokens.begin(), tokens.end()).size() >= 24);
    CHECK(longest_loop(tokens) < 24);
  }
}

TEST_CASE("a quiet token is never the most likely one") {
  kvarium_test::SeededParams params;
  params.vocab = 32;
  for (int token = 0; token < 24; ++token) params.quiet_tokens.push_back(TokenId{token});
  const auto model = kvarium_test::seeded_model(params);
  for (const TokenId token : greedy(*model, random_tokens(8, 32, 1))) CHECK(value(token) >= 24);
}

TEST_CASE("parameters that make no model are refused") {
  kvarium_test::SeededParams params;
  params.query_heads = 5;
  CHECK_THROWS_WITH(kvarium_test::seeded_model(params),
                    "the seeded model: a width of 64 cannot be divided into 5 query heads");
  params = {};
  params.vocab = 0;
  CHECK_THROWS_AS(kvarium_test::seeded_model(params), InputError);
  params = {};
  params.quiet_tokens = {TokenId{256}};
  CHECK_THROWS_WITH(kvarium_test::seeded_model(params), kvarium_test::contains("token 256 cannot be quiet"));
}
