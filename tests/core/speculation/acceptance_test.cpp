#include "core/speculation/acceptance.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "core/speculation/residual.h"
#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using kvarium_test::Approx;
using kvarium_test::contains;
using kvarium_test::ids;

namespace {

using Row = std::vector<double>;
const Row kP{.5, .3, .2}, kQ{.2, .7, .1};

/// "5 9 | rejected 2": the tokens of a round of greedy decoding, and how many of the k + 1 that were computed are lost.
std::string greedy(const std::vector<TokenId>& drafts, const std::vector<TokenId>& best) {
  const Verdict verdict = verify_greedy(drafts, best);
  std::string text;
  for (const Trial& trial : verdict.trials) text += trial.accepted ? std::to_string(value(trial.token)) + " " : "";
  return text + std::to_string(value(verdict.next)) + " | rejected " +
         std::to_string(drafts.size() - verdict.accepted());
}

/// One draft, judged by p with u; `then` draws what comes behind it.
Verdict judge(const Row& p, const Row& q, std::int32_t token, double u, double then = 0, const Row& bonus = {1, 0, 0}) {
  return verify_sampled({ids({token}), {q}}, std::vector<Row>{p, bonus}, Row{u, then});
}

}  // namespace

TEST_CASE("greedy: the drafts that the target would have said itself, and its own token behind them") {
  CHECK(greedy(ids({5, 6, 7}), ids({5, 9, 3, 4})) == "5 9 | rejected 2");
  CHECK(greedy(ids({5, 9, 3}), ids({5, 9, 3, 4})) == "5 9 3 4 | rejected 0");
  CHECK(greedy(ids({1, 9, 3}), ids({5, 9, 3, 4})) == "5 | rejected 3");
  CHECK(greedy({}, ids({7})) == "7 | rejected 0");
}

TEST_CASE("a verdict tells an empty draft, a full acceptance and a rejection apart") {
  CHECK_FALSE(verify_greedy({}, ids({7})).rejected());
  CHECK_FALSE(verify_greedy(ids({7}), ids({7, 8})).rejected());
  const Verdict verdict = verify_greedy(ids({7, 1, 2}), ids({7, 8, 9, 0}));
  CHECK(verdict.rejected());
  CHECK(verdict.accepted() == 1);
  CHECK(verdict.trials.size() == 2);  // what stands behind the first rejection is not tried
}

TEST_CASE("a draft is accepted with probability min(1, p / q)") {
  CHECK(judge(kP, kQ, 0, 0.999).accepted() == 1);  // .5 / .2
  CHECK(judge(kP, kQ, 1, .42).accepted() == 1);    // .3 / .7 = .4286
  CHECK(judge(kP, kQ, 1, .43).accepted() == 0);
  CHECK(judge(kP, kQ, 2, 0.999).accepted() == 1);  // .2 / .1
  const Trial trial = judge(kP, kQ, 1, .43).trials.front();
  CHECK(trial.p == .3);
  CHECK(trial.q == .7);
  CHECK(trial.u == .43);
}

TEST_CASE("what takes a rejected draft's place is drawn from what the target has more of than the draft") {
  const Row left = residual(kP, kQ);  // max(p - q, 0) = (.3, 0, .1)
  CHECK(left[0] == Approx(.75));
  CHECK(left[1] == 0);
  CHECK(left[2] == Approx(.25));
  CHECK(rejection_probability(kP, kQ) == Approx(.4));
  CHECK(judge(kP, kQ, 1, .9, .74).next == TokenId{0});
  CHECK(judge(kP, kQ, 1, .9, .76).next == TokenId{2});
  CHECK(judge(kP, kQ, 1, .9, .76).next_probability == Approx(.25));
}

TEST_CASE("when every draft is accepted, the bonus token comes from the distribution behind the last one") {
  const Verdict verdict = judge(kP, kQ, 0, .5, .65, {.6, .1, .3});
  CHECK_FALSE(verdict.rejected());
  CHECK(verdict.next == TokenId{1});
  CHECK(verdict.next_probability == .1);
}

TEST_CASE("what the target never says is rejected, also by u = 0; so is what the draft cannot have drawn") {
  CHECK(judge({0, 1, 0}, kQ, 0, 0).accepted() == 0);
  CHECK(judge({.5, .5, 0}, {0, 1, 0}, 0, 0).accepted() == 0);
}

TEST_CASE("where draft and target are the same, nothing is left, and p stands in for it") {
  CHECK(residual(kP, kP) == kP);
  CHECK(rejection_probability(kP, kP) == 0);
}

TEST_CASE("the target is judged at the request's own temperature") {
  const std::vector<float> logits{0.0F, std::log(2.0F)};
  const Row p = distribution(logits, {.temperature = 0.5F});
  // A float log is off by 2^-24 of itself, which the temperature doubles: 1e-6 is above that.
  CHECK(p[0] == Approx(.2).epsilon(1e-6));
  const auto accepted = [&](double u) {
    return verify_sampled({ids({0})}, std::vector<Row>{p, p}, Row{u, 0}).accepted();
  };
  CHECK(accepted(.19) == 1);
  CHECK(accepted(.25) == 0);  // without the temperature p would be .333
}

TEST_CASE("drafts without a distribution are certain: no q is read") {
  const Verdict verdict = verify_sampled({ids({1})}, std::vector<Row>{kP, kP}, Row{.31, .72});
  CHECK(verdict.trials.front().q == 1);
  CHECK(verdict.rejected());
  CHECK(verdict.next == TokenId{2});  // p without the draft: (.714, 0, .286)
  CHECK(verdict.next_probability == Approx(.2 / .7));
}

TEST_CASE("a q that is no probability is misuse, not a token") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(judge(kP, {nan, .7, .1}, 1, .9), contains("not between 0 and 1"));
  CHECK_THROWS_AS(judge(kP, {nan, nan, nan}, 1, .9), MisuseError);
  CHECK_THROWS_AS(judge(kP, {.2, -.7, .1}, 1, .9), MisuseError);
}

TEST_CASE("lengths that do not fit and tokens outside the vocabulary are misuse") {
  CHECK_THROWS_WITH(verify_greedy(ids({1, 2}), ids({1, 2})), contains("2 drafts need 3 likeliest tokens, not 2"));
  CHECK_THROWS_AS(verify_sampled({ids({1})}, std::vector<Row>{kP}, Row{0, 0}), MisuseError);
  CHECK_THROWS_AS(verify_sampled({ids({1})}, std::vector<Row>{kP, kP}, Row{0}), MisuseError);
  CHECK_THROWS_AS(verify_sampled({ids({1, 1}), {kQ}}, std::vector<Row>{kP, kP, kP}, Row{0, 0, 0}), MisuseError);
  CHECK_THROWS_WITH(verify_sampled({ids({3})}, std::vector<Row>{kP, kP}, Row{0, 0}), contains("outside"));
  CHECK_THROWS_AS(verify_sampled({ids({-1})}, std::vector<Row>{kP, kP}, Row{0, 0}), MisuseError);
  CHECK_THROWS_AS(residual(kP, Row{.5, .5}), MisuseError);
}

TEST_CASE("typical acceptance asks more of a draft where the target is sure") {
  const Row sure{.9, .1, 0, 0}, unsure{.25, .25, .25, .25};
  const auto accepts = [](const Row& p, std::int32_t token) {
    return verify_typical(ids({token}), std::vector<Row>{p, p}, 0, {.epsilon = .3, .delta = .3}).accepted() == 1;
  };
  // exp(-H) is .9^.9 .1^.1 = .722 for the sure one, a threshold of .217; 1/4 for the other, a threshold of .075.
  CHECK(accepts(sure, 0));
  CHECK_FALSE(accepts(sure, 1));
  CHECK_FALSE(accepts(sure, 2));
  CHECK(accepts(unsure, 3));
}

TEST_CASE("typical acceptance never asks for more than epsilon, and draws what comes next from the target") {
  const Row p{.9, .1, 0};
  const Verdict verdict = verify_typical(ids({1, 2}), std::vector<Row>{p, p, p}, .95);
  CHECK(verdict.accepted() == 1);  // .1 > .09
  CHECK(verdict.next == TokenId{1});
}
