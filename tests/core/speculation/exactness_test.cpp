// Speculation changes nothing: tokens that went through drafts and verdicts are distributed as the target's own. By
// algebra for one position, by counting for three.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/sampling/sampling.h"
#include "core/speculation/acceptance.h"
#include "core/speculation/chi_square.h"
#include "core/speculation/residual.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::Approx;

namespace {

using Row = std::vector<double>;

Row random_row(std::mt19937_64& random, std::size_t vocab) {
  Row row(vocab);
  double total = 0;
  for (double& p : row) total += p = uniform(random) < .2 ? 0 : uniform(random);
  if (total == 0) return random_row(random, vocab);
  for (double& p : row) p /= total;
  return row;
}

/// The law of one token: a draft from q, judged by p, and what takes its place. `certain`: verified as if q were 1.
Row law(const Row& p, const Row& q, bool certain, Recovery recovery = Recovery::residual) {
  Row out(p.size(), 0.0);
  for (std::size_t d = 0; d < p.size(); ++d) {
    Row judged_by = q;
    if (certain) {
      judged_by.assign(p.size(), 0.0);
      judged_by[d] = 1;
    }
    if (q[d] == 0) continue;
    const double accepted = std::min(1.0, p[d] / judged_by[d]);
    const Row left = recovery == Recovery::residual ? residual(p, judged_by) : p;
    out[d] += q[d] * accepted;
    for (std::size_t v = 0; v < p.size(); ++v) out[v] += q[d] * (1 - accepted) * left[v];
  }
  return out;
}

/// Each number is a sum of at most 2 * 8 products of numbers up to 1: 1e-14 is above 16 roundings of 2^-53.
void check_equal(const Row& out, const Row& p) {
  for (std::size_t v = 0; v < p.size(); ++v) CHECK(std::abs(out[v] - p[v]) <= 1e-14);
}

constexpr std::size_t kVocab = 3, kLength = 3, kCells = 27;
constexpr int kDraws = 200'000;
using Prefix = std::vector<TokenId>;

/// Some distribution of the next token that depends on all tokens so far.
Row next(const Prefix& prefix, std::uint64_t seed) {
  for (const TokenId token : prefix) seed = seed * 31 + index(token) + 1;
  const double a = 1.0 + static_cast<double>(seed * 7 % 11), b = 1.0 + static_cast<double>(seed * 13 % 17),
               c = 1.0 + static_cast<double>(seed * 3 % 5);
  return {a / (a + b + c), b / (a + b + c), c / (a + b + c)};
}
Row target(const Prefix& prefix) { return next(prefix, 5); }

/// Rounds of k drafts until there are three tokens. `one_hot`: the draft's distributions are kept back.
Prefix speak(std::mt19937_64& random, std::size_t k, bool one_hot, Recovery recovery) {
  Prefix said;
  while (said.size() < kLength) {
    Draft draft;
    Prefix heard = said;
    std::vector<Row> p{target(heard)};
    Row uniforms;
    for (std::size_t i = 0; i < k; ++i) {
      const Row q = next(heard, 8);
      draft.tokens.push_back(draw(q, uniform(random)));
      if (!one_hot) draft.probabilities.push_back(q);
      heard.push_back(draft.tokens.back());
      p.push_back(target(heard));
      uniforms.push_back(uniform(random));
    }
    uniforms.push_back(uniform(random));
    const Verdict verdict = verify_sampled(draft, p, uniforms, recovery);
    said.insert(said.end(), draft.tokens.begin(), draft.tokens.begin() + verdict.accepted());
    said.push_back(verdict.next);
  }
  said.resize(kLength);
  return said;
}

Row joint_law_of_target() {
  Row law;
  for (std::int32_t cell = 0; cell < static_cast<std::int32_t>(kCells); ++cell) {
    const std::array<TokenId, kLength> tokens{TokenId{cell / 9}, TokenId{cell / 3 % 3}, TokenId{cell % 3}};
    double p = 1;
    for (std::size_t i = 0; i < kLength; ++i) p *= target({tokens.begin(), tokens.begin() + i})[index(tokens[i])];
    law.push_back(p);
  }
  return law;
}

ChiSquare count(int draws, std::uint64_t seed, std::size_t k, bool one_hot, Recovery recovery = Recovery::residual) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> counts(kCells, 0);
  for (int i = 0; i < draws; ++i) {
    const Prefix said = speak(random, k, one_hot, recovery);
    ++counts[index(said[0]) * 9 + index(said[1]) * 3 + index(said[2])];
  }
  return chi_square(counts, joint_law_of_target());
}

}  // namespace

TEST_CASE("the worked position: every draft judged by p / q, or as if it were certain, leads to p") {
  const Row p{.5, .3, .2}, q{.2, .7, .1};
  check_equal(law(p, q, false), p);
  check_equal(law(p, q, true), p);
}

TEST_CASE("drafts that hide their distribution are accepted less often") {
  const Row p{.5, .3, .2}, q{.2, .7, .1};
  CHECK(1 - rejection_probability(p, q) == Approx(.60));
  CHECK(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] == Approx(.33));
}

TEST_CASE("one token has the target's distribution, whatever draft and target are") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::size_t vocab = 1 + random() % 8;
    const Row p = random_row(random, vocab), q = random_row(random, vocab);
    check_equal(law(p, q, false), p);
    check_equal(law(p, q, true), p);
  }
}

TEST_CASE("the wrong rule, which draws again from the target itself, favours what was accepted already") {
  const Row wrong = law({.5, .5}, {.9, .1}, false, Recovery::target);
  CHECK(wrong[0] == Approx(.70));
  CHECK(wrong[1] == Approx(.30));
}

TEST_CASE("counted: the wrong rule converges to .70 and .30, and the right one does not leave .50") {
  const Recovery recovery = GENERATE(values({Recovery::residual, Recovery::target}));
  const Row p{.5, .5}, q{.9, .1};
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> counts(2, 0);
  for (int i = 0; i < kDraws; ++i) {
    const TokenId token = draw(q, uniform(random));
    const Row uniforms{uniform(random), uniform(random)};
    const Verdict verdict = verify_sampled({{token}, {q}}, std::vector<Row>{p, p}, uniforms, recovery);
    ++counts[index(verdict.rejected() ? verdict.next : token)];
  }
  const ChiSquare right = chi_square(counts, p), wrong = chi_square(counts, Row{.7, .3});
  // With one degree of freedom the statistic is above 15.1 once in ten thousand; a share that is off by .2 makes it
  // 200,000 * .04 / .25 = 32,000.
  CHECK((recovery == Recovery::residual ? right : wrong).statistic < 15.1);
  CHECK((recovery == Recovery::residual ? wrong : right).statistic > 30'000);
}

TEST_CASE("counted: three tokens together have the target's joint distribution, for any draft length") {
  const std::size_t k = GENERATE(1, 3);
  const ChiSquare result = count(kDraws, 20 + k, k, false);
  INFO("chi-square " << result.statistic);
  CHECK(result.degrees == 26);
  CHECK(result.p_value > 1e-3);  // a statistic above 54.05 has one chance in a thousand
}

TEST_CASE("counted: also when the drafts are verified as if they were certain") {
  CHECK(count(kDraws, 31, 2, true).p_value > 1e-3);
}

TEST_CASE("counted: the wrong rule is found out") {
  CHECK(count(kDraws / 10, 41, 2, false, Recovery::target).p_value < 1e-9);
}
