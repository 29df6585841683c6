// What a layer computed, computed again from the tokens.

#include "visualizer/app/probe_service.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/error.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/support/catch.h"
#include "tests/support/seeded_model.h"
#include "visualizer/app/run_models.h"

using namespace kvarium;
using namespace kvarium::ui;

namespace {

std::vector<TokenId> some_tokens(std::size_t count) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(TokenId{static_cast<std::int32_t>(3 + i * 37 % 200)});
  return tokens;
}

ProbeAnswer wait_for(const ProbeService& service) {
  for (int i = 0; i < 20000 && service.working(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return service.answer();
}

/// The largest difference between a weight and the one that its formula gives from the queries and keys.
double formula_difference(const layout::LayerProbe& probe) {
  double most = 0;
  for (std::uint32_t h = 0; h < probe.shape.query_heads; ++h) {
    for (std::uint32_t q = 0; q < probe.num_tokens(); ++q) {
      for (std::uint32_t k = 0; k <= q; ++k) {
        const double expected = layout::weight_formula(probe, h, q, k).weight;
        most = std::max(most, std::abs(static_cast<double>(probe.weights(h, q)[k]) - expected));
      }
    }
  }
  return most;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);
  }
  return most;
}

}  // namespace

TEST_CASE("Each row of weights adds up to 1 and is the softmax of its queries and keys") {
  LayerProbing probing(kvarium_test::seeded_model({}), 1, 40);
  const std::vector<TokenId> tokens = some_tokens(21);
  probing.extend(std::span(tokens).first(16));
  probing.extend(std::span(tokens).subspan(16));
  const layout::LayerProbe& probe = probing.numbers();
  REQUIRE(probe.num_tokens() == 21);
  CHECK(probe.keys.size() == 21 * 2 * 16);
  for (std::uint32_t h = 0; h < 4; ++h) {
    REQUIRE(probe.attention[h].size() == layout::triangle(21));
    for (std::uint32_t q = 0; q < 21; ++q) {
      const auto row = probe.weights(h, q);
      // 21 numbers in float: each within 2^-24 of its size, and the sum's own roundings.
      CHECK(std::accumulate(row.begin(), row.end(), 0.0) == kvarium_test::Approx(1).margin(1e-5));
    }
  }
  // Scores up to about 40 in float are off by 40 x 16 x 2^-24 = 4e-5, and a weight changes by as much of itself.
  CHECK(formula_difference(probe) < 1e-4);
}

TEST_CASE("In chunks or token by token, the numbers are the same within rounding") {
  const auto model = kvarium_test::seeded_model({});
  const std::vector<TokenId> tokens = some_tokens(19);
  LayerProbing chunks(model, 1, 19), single(model, 1, 19);
  chunks.extend(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) single.extend(std::span(tokens).subspan(i, 1));
  // Sums of at most 128 products of numbers below 10, in another order: 128 x 10 x 2^-24 = 8e-5.
  CHECK(largest_difference(chunks.numbers().keys, single.numbers().keys) < 1e-4F);
  CHECK(largest_difference(chunks.numbers().values, single.numbers().values) < 1e-4F);
  CHECK(largest_difference(chunks.numbers().queries, single.numbers().queries) < 1e-4F);
  for (std::size_t h = 0; h < 4; ++h)
    CHECK(largest_difference(chunks.numbers().attention[h], single.numbers().attention[h]) < 1e-4F);
}

TEST_CASE("Latent attention is drawn as it is read: one row a token, K of all heads, whose beginning is V") {
  cpu::ModelConfig config = kvarium_test::small_llama();
  kvarium_test::make_latent(config, 10, 4);
  LayerProbing probing(std::make_shared<const cpu::Model>(kvarium_test::random_model(config, 1)), 1, 20);
  std::vector<TokenId> tokens = some_tokens(18);
  for (TokenId& token : tokens) token = TokenId{value(token) % 53};
  probing.extend(std::span(tokens).first(11));
  probing.extend(std::span(tokens).subspan(11));
  const layout::LayerProbe& probe = probing.numbers();
  REQUIRE(probe.num_tokens() == 18);
  CHECK(probe.keys.size() == 18 * 14);
  CHECK(layout::num_channels(probe, layout::KvPart::keys) == 14);
  CHECK(layout::num_channels(probe, layout::KvPart::values) == 10);
  CHECK(probe.value(17, 0).data() == probe.key(17, 0).data());
  CHECK(formula_difference(probe) < 1e-4);  // as above
}

TEST_CASE("A question that goes on is answered by going on, another one anew") {
  const auto model = kvarium_test::seeded_model({});
  const std::vector<TokenId> tokens = some_tokens(40);
  const std::vector<TokenId> beginning(tokens.begin(), tokens.begin() + 20);
  ProbeService service;
  CHECK(service.answer().state == ProbeAnswer::State::no_model);
  service.ask({model, 0, beginning, 40});
  ProbeAnswer answer = wait_for(service);
  REQUIRE(answer.state == ProbeAnswer::State::ready);
  REQUIRE(answer.probe != nullptr);
  CHECK(answer.probe->tokens == beginning);
  const std::uint64_t version = answer.version;
  service.ask({model, 0, beginning, 40});
  CHECK(service.answer().version == version);

  service.ask({model, 0, tokens, 40});
  CHECK(service.answer().probe != nullptr);  // what is known of its beginning stays on the screen
  answer = wait_for(service);
  CHECK(answer.probe->tokens == tokens);
  CHECK(answer.version > version);
  LayerProbing whole(model, 0, 40);
  whole.extend(tokens);
  CHECK(largest_difference(answer.probe->keys, whole.numbers().keys) < 1e-4F);  // as above

  service.ask({model, 1, tokens, 40});
  CHECK(service.answer().probe == nullptr);  // another layer has other numbers
  CHECK(wait_for(service).probe->layer == 1);
  service.forget();
  CHECK(service.answer().state == ProbeAnswer::State::no_model);
}

TEST_CASE("A question that cannot be answered is told in words, and the next one is answered") {
  const auto model = kvarium_test::seeded_model({});
  ProbeService service;
  service.ask({model, 7, some_tokens(3), 8});
  CHECK(wait_for(service).state == ProbeAnswer::State::failed);
  CHECK(service.answer().error != "");
  service.ask({model, 1, {TokenId{3}, TokenId{256}}, 8});
  CHECK(wait_for(service).error == "token 256 is not in the vocabulary of this model: another one made this recording");
  service.ask({model, 1, some_tokens(3), 8});
  CHECK(wait_for(service).state == ProbeAnswer::State::ready);
}

TEST_CASE("Questions may change while they are answered") {
  const auto model = kvarium_test::seeded_model({});
  ProbeService service;
  for (std::uint32_t i = 0; i < 50; ++i) service.ask({model, i % 2, some_tokens(64 + i), 128});
  const ProbeAnswer answer = wait_for(service);
  CHECK(answer.state == ProbeAnswer::State::ready);
  CHECK(answer.probe->layer == 1);
  CHECK(answer.probe->num_tokens() == 113);
}

TEST_CASE("A shipped model is found by the shape that a run announces, another one is not") {
  RunModels models;
  ModelShape shape;
  CHECK(models.find(shape) == nullptr);
  shape.name = "tales-target";
  CHECK(models.find(shape) == nullptr);  // another one of that name
  const auto& shipped = cpu::shipped_model("tales-target").model;
  CHECK(models.find(shipped->config.shape) == shipped);
  const auto other = kvarium_test::seeded_model({.vocab = 300, .layers = 3, .quiet_tokens = {}});
  CHECK(models.find(other->config.shape) == nullptr);  // it does not come with Kvarium
  models.keep(other);
  CHECK(models.find(other->config.shape) == other);
}
