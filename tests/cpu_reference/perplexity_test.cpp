#include "cpu_reference/perplexity.h"

#include "core/error.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::Approx;
using kvarium_test::random_tokens;

namespace {

double perplexity_of(const Model& model, std::span<const TokenId> tokens, std::uint32_t window) {
  return text_surprise(model, tokens, window, {}, CancelToken{}).value().perplexity();
}

}  // namespace

TEST_CASE("the surprise at a token is minus the logarithm of its probability") {
  const float logits[] = {0.0F, std::log(3.0F)};  // probabilities 1/4 and 3/4
  CHECK(surprise(logits, TokenId{0}) == Approx(std::log(4.0)));
  CHECK(surprise(logits, TokenId{1}) == Approx(std::log(4.0 / 3.0)));
  const float huge[] = {1e30F, -1e30F};  // no exponential of these fits a number
  CHECK(surprise(huge, TokenId{0}) == 0);
}

TEST_CASE("a model that knows nothing hesitates among its whole vocabulary") {
  ModelConfig config;
  config.shape = {.name = "zero",
                  .layers = 1,
                  .query_heads = 1,
                  .kv_heads = 1,
                  .head_dim = 4,
                  .hidden = 4,
                  .vocab = 37,
                  .context = 16};
  config.ffn_hidden = 4;
  const Model model(config, "zero");
  const auto tokens = random_tokens(30, 37, 1);
  CHECK(perplexity_of(model, tokens, 16) == Approx(37));
}

TEST_CASE("each window starts anew: its first token is given, the others are predicted") {
  const auto model = kvarium_test::seeded_model({});
  const auto tokens = random_tokens(9, model->config.shape.vocab, 2);
  const std::span<const TokenId> all(tokens);
  double sum = 0;
  for (const auto window : {all.first(4), all.subspan(4, 4)}) {  // the 9th token stands alone: nothing predicts it
    for (std::size_t t = 1; t < window.size(); ++t) {
      Work work;
      sum += surprise(Transformer(*model).forward_uncached(window.first(t), work), window[t]);
    }
  }
  const auto result = text_surprise(*model, tokens, 4, {}, CancelToken{});
  REQUIRE(result);
  CHECK(result->predicted == 6);
  CHECK(result->mean_surprise == Approx(sum / 6).epsilon(1e-5));
}

TEST_CASE("a text that is too short, a window that does not fit and a cancelled run have no perplexity") {
  const auto model = kvarium_test::seeded_model({});
  const auto tokens = random_tokens(9, model->config.shape.vocab, 3);
  CHECK_THROWS_AS(perplexity_of(*model, std::span(tokens).first(1), 4), InputError);
  CHECK_THROWS_AS(perplexity_of(*model, tokens, 1), MisuseError);
  CHECK_THROWS_AS(perplexity_of(*model, tokens, model->config.shape.context + 1), MisuseError);
  ModelConfig one = model->config;
  one.shape.context = 1;
  CHECK_THROWS_AS(perplexity_of(Model(one, "one"), tokens, 1), InputError);
  CancelToken cancel;
  cancel.cancel();
  CHECK(!text_surprise(*model, tokens, 4, {}, cancel));
}
