// What the attention heads of a model do: three patterns, each a share of attention.

#include "cpu_reference/evaluation/head_scores.h"

#include <algorithm>

#include "core/error.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;

namespace {

/// Queries of zero: every token looks at all tokens so far alike.
Model even_model() {
  Model model = kvarium_test::random_model(kvarium_test::small_llama(), 5);
  for (LayerWeights& layer : model.weights.layers) writable_f32(layer.query).setZero();
  return model;
}

std::vector<HeadScore> scores_of(const Model& model, const std::vector<std::vector<TokenId>>& texts,
                                 std::uint32_t repeated) {
  return head_scores(model, texts, repeated, 7, {}, CancelToken{}).value();
}

/// The mean of 1 / (tokens so far) over positions [first, last).
double even_share(std::uint32_t first, std::uint32_t last) {
  double sum = 0;
  for (std::uint32_t t = first; t < last; ++t) sum += 1.0 / (t + 1);
  return sum / (last - first);
}

}  // namespace

TEST_CASE("a head that looks at all tokens alike has the shares that counting gives") {
  const auto scores = scores_of(even_model(), {kvarium_test::random_tokens(12, 53, 1)}, 5);
  REQUIRE(scores.size() == 8);  // 2 layers of 4 query heads
  for (const HeadScore& score : scores) {
    CHECK(score.previous == kvarium_test::Approx(even_share(1, 12)).epsilon(1e-5));
    CHECK(score.sink == kvarium_test::Approx(even_share(8, 12)).epsilon(1e-5));
    CHECK(score.induction == kvarium_test::Approx(even_share(6, 11)).epsilon(1e-5));  // 1 + 5 + 5 tokens
  }
  CHECK(scores[5].layer == 1);
  CHECK(scores[5].head == 1);
}

TEST_CASE("the scores of several texts are their mean") {
  const Model model = kvarium_test::random_model(kvarium_test::small_llama(), 6);
  const auto a = kvarium_test::random_tokens(10, 53, 1), b = kvarium_test::random_tokens(20, 53, 2);
  const auto both = scores_of(model, {a, b}, 4), one = scores_of(model, {a}, 4), other = scores_of(model, {b}, 4);
  CHECK(both[3].previous == kvarium_test::Approx((one[3].previous + other[3].previous) / 2).epsilon(1e-9));
  CHECK(both[3].sink == kvarium_test::Approx((one[3].sink + other[3].sink) / 2).epsilon(1e-9));
}

TEST_CASE("texts that are too short or too long are refused") {
  const Model model = even_model();  // context 40
  const std::vector<std::vector<TokenId>> brief{kvarium_test::random_tokens(8, 53, 1)},
      fine{kvarium_test::random_tokens(9, 53, 1)}, none;
  CHECK_THROWS_WITH(head_scores(model, brief, 4, 7, {}, CancelToken{}), contains("give at least 9"));
  CHECK_THROWS_WITH(head_scores(model, fine, 20, 7, {}, CancelToken{}), contains("context of 40"));
  CHECK_THROWS_AS(head_scores(model, none, 4, 7, {}, CancelToken{}), InputError);
  CancelToken cancel;
  cancel.cancel();
  CHECK_FALSE(head_scores(model, fine, 4, 7, {}, cancel));
}

TEST_CASE("tales-target has a previous-token head, an induction head and an attention sink") {
  const OpenedModel& opened = shipped_model("tales-target");
  const std::vector<std::vector<TokenId>> text{opened.tokenizer->encode(
      "Once there was a girl named Mia. One sunny day, she went to the park. There she met Tom, and Tom had a red "
      "kite. \"May I hold it?\" asked Mia. Tom gave her the kite, and she ran over the grass.")};
  const auto scores = scores_of(*opened.model, text, 32);  // an even look would give each token about 2 %
  const auto most = [&](double HeadScore::*share) {
    double best = 0;
    for (const HeadScore& score : scores) best = std::max(best, score.*share);
    return best;
  };
  CHECK(most(&HeadScore::previous) > 0.5);
  CHECK(most(&HeadScore::induction) > 0.2);
  CHECK(most(&HeadScore::sink) > 0.5);
}
