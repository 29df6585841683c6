// What a runner reports of its inside when it is asked.

#include "core/probe.h"

#include "core/error.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::random_tokens;

namespace {

const std::vector<BlockId> kTable{BlockId{2}, BlockId{0}};

ForwardResult forward(CpuRunner& runner, std::span<const TokenId> tokens, std::uint32_t first) {
  return runner.forward(std::vector<ScheduledSequence>{{RequestId{7}, tokens, first, kTable}});
}

}  // namespace

TEST_CASE("a probe gets the attention of one layer: each row adds up to 1, and nothing looks ahead") {
  CpuRunner runner(kvarium_test::seeded_model({}));  // 4 query heads, 2 KV heads of 16
  runner.create_cache(3, 4);
  const std::vector<TokenId> tokens = random_tokens(7, 256, 1);
  forward(runner, std::span(tokens).first(4), 0);
  StepProbe probe{1, {}};
  CHECK(runner.set_probe(&probe));
  const ForwardResult result = forward(runner, std::span(tokens).subspan(4), 4);

  REQUIRE(probe.sequences.size() == 1);
  const SequenceProbe& seen = probe.sequences[0];
  CHECK(seen.request == RequestId{7});
  CHECK(seen.first_position == 4);
  CHECK(seen.tokens == 3);
  CHECK(seen.queries.size() == 3 * 4 * 16);
  CHECK(seen.keys.size() == 7 * 2 * 16);
  CHECK(seen.values.size() == seen.keys.size());
  CHECK(seen.logits == result.logits);
  REQUIRE(seen.attention.size() == 4 * 3 * 7);
  for (std::size_t row = 0; row < 4 * 3; ++row) {
    const std::span<const float> weights = std::span(seen.attention).subspan(row * 7, 7);
    double sum = 0.0;
    for (const float weight : weights) sum += double{weight};
    CHECK(sum == kvarium_test::Approx(1.0).margin(7 * 6e-8));  // 7 roundings
    for (std::size_t j = 4 + row % 3 + 1; j < 7; ++j) CHECK(weights[j] == 0.0F);
  }
}

TEST_CASE("the keys and values of a probe are the cached ones: of earlier passes too, in the order of the positions") {
  CpuRunner runner(kvarium_test::seeded_model({}));
  runner.create_cache(3, 4);
  const std::vector<TokenId> tokens = random_tokens(7, 256, 1);
  StepProbe whole{0, {}}, last{0, {}};
  runner.set_probe(&whole);
  forward(runner, tokens, 0);
  runner.set_probe(&last);
  forward(runner, std::span(tokens).last(1), 6);
  CHECK(last.sequences[0].keys.size() == whole.sequences[0].keys.size());
  // Positions 0 to 5 were not computed again.
  const std::size_t untouched = 6 * 2 * 16;
  const auto first_of = [&](const std::vector<float>& rows) {
    return std::vector(rows.begin(), rows.begin() + untouched);
  };
  CHECK(first_of(last.sequences[0].keys) == first_of(whole.sequences[0].keys));
  CHECK(first_of(last.sequences[0].values) == first_of(whole.sequences[0].values));
}

TEST_CASE("a probe of latent attention gets the cached rows, the queries at their width and weights that add up to 1") {
  ModelConfig config = kvarium_test::small_llama();
  kvarium_test::make_latent(config, 10, 4);  // heads of 6 and 4, 4 of them
  CpuRunner runner(std::make_shared<const Model>(kvarium_test::random_model(config, 1)));
  runner.create_cache(3, 4);
  const std::vector<TokenId> tokens = random_tokens(7, 53, 1);
  StepProbe probe{1, {}};
  CHECK(runner.set_probe(&probe));
  forward(runner, std::span(tokens).first(4), 0);
  const std::vector<float> first_rows = probe.sequences[0].keys;
  forward(runner, std::span(tokens).subspan(4), 4);

  const SequenceProbe& seen = probe.sequences[0];
  CHECK(seen.queries.size() == 3 * 4 * 14);
  REQUIRE(seen.keys.size() == 7 * 14);
  CHECK(seen.values.empty());
  CHECK(std::equal(first_rows.begin(), first_rows.end(), seen.keys.begin()));
  REQUIRE(seen.attention.size() == 4 * 3 * 7);
  for (std::size_t row = 0; row < 4 * 3; ++row) {
    const std::span<const float> weights = std::span(seen.attention).subspan(row * 7, 7);
    const std::size_t head = row / 3, t = row % 3;
    std::vector<double> shares;
    double sum = 0.0, total = 0.0;
    for (std::size_t j = 0; j <= 4 + t; ++j) {
      double product = 0.0;
      for (std::size_t c = 0; c < 14; ++c) {
        product += double{seen.queries[(t * 4 + head) * 14 + c]} * double{seen.keys[j * 14 + c]};
      }
      shares.push_back(std::exp(product / std::sqrt(6.0 + 4.0)));
      sum += shares.back();
    }
    for (std::size_t j = 0; j < 7; ++j) {
      const double expected = j <= 4 + t ? shares[j] / sum : 0.0;
      // A score of 14 products below 10, summed in float, is off by 14 x 14 x 10 x 2^-24, and a weight by as much.
      CHECK(double{weights[j]} == kvarium_test::Approx(expected).margin(1.2e-4));
      total += double{weights[j]};
    }
    CHECK(total == kvarium_test::Approx(1.0).margin(7 * 6e-8));  // 7 roundings
  }
}

TEST_CASE("a probe changes no logit, and after it is taken away nothing is reported") {
  const std::vector<TokenId> tokens = random_tokens(5, 256, 3);
  CpuRunner plain(kvarium_test::seeded_model({})), probed(kvarium_test::seeded_model({}));
  plain.create_cache(3, 4);
  probed.create_cache(3, 4);
  StepProbe probe{0, {}};
  probed.set_probe(&probe);
  CHECK(forward(probed, tokens, 0).logits == forward(plain, tokens, 0).logits);
  probe.sequences.clear();
  probed.set_probe(nullptr);
  forward(probed, tokens, 0);
  CHECK(probe.sequences.empty());
}

TEST_CASE("a layer that the model does not have is refused") {
  CpuRunner runner(kvarium_test::seeded_model({}));
  StepProbe probe{2, {}};
  CHECK_THROWS_WITH(runner.set_probe(&probe), "there is no layer 2 to report: the model has 2");
}
