#include "cpu_reference/attention/weights.h"

#include "core/error.h"
#include "tests/cpu_reference/support.h"

using namespace kvarium;
using namespace kvarium::cpu;

namespace {

constexpr Heads kTwoOverOne{2, 1, 1};  // two query heads, one KV head of one number

}  // namespace

TEST_CASE("attention weights are the softmax of the scores, a row a query, and 0 for what comes later") {
  const std::vector<float> keys{0.0F, 1.0F, 2.0F};
  const std::vector<KvRun> runs{{keys.data(), keys.data(), 2}, {keys.data() + 2, keys.data() + 2, 1}};
  Matrix queries(2, 2);  // the tokens at positions 1 and 2
  queries << 0, 1, 1, 0;
  const std::vector<float> weights = attention_weights(queries, 1, runs, kTwoOverOne, 0);
  const double e = std::exp(1.0);
  const std::vector<double> expected{0.5,
                                     0.5,
                                     0,
                                     1 / (1 + e + e * e),
                                     e / (1 + e + e * e),
                                     e * e / (1 + e + e * e),
                                     1 / (1 + e),
                                     e / (1 + e),
                                     0,
                                     1.0 / 3,
                                     1.0 / 3,
                                     1.0 / 3};
  REQUIRE(weights.size() == expected.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CHECK(weights[i] == kvarium_test::Approx(expected[i]).margin(1e-6));  // about 5 roundings of 6e-8
  }
}

TEST_CASE("with a window of 2 a token sees itself and the one before it") {
  const std::vector<float> keys(4, 0.0F);
  const std::vector<KvRun> runs{{keys.data(), keys.data(), 4}};
  const std::vector<float> weights = attention_weights(Matrix::Zero(2, 1), 2, runs, {1, 1, 1}, 2);
  CHECK(weights == std::vector<float>{0, 0.5F, 0.5F, 0, 0, 0, 0.5F, 0.5F});
}

TEST_CASE("rows that are not there are reported") {
  const std::vector<float> keys(2, 0.0F);
  const std::vector<KvRun> runs{{keys.data(), keys.data(), 2}};
  CHECK_THROWS_WITH(attention_weights(Matrix::Zero(1, 1), 2, runs, {1, 1, 1}, 0),
                    "attention_weights: 2 cached rows for 3 positions");
}
