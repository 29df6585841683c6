// verify_draft against core/speculation, and its own header table.

#include "cuda/kernels/verify_draft.cuh"

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/speculation/acceptance.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/mutants.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/cuda/kernels/verify_draft_problem.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::Draft;
using kvarium::TokenId;
using kvarium::Verdict;
using kvarium_test::Judged;
using kvarium_test::VerifyProblem;

namespace {

constexpr VerifyRung kRungs[] = {VerifyRung::thread, VerifyRung::block};

Judged judged(const Verdict& verdict) { return {static_cast<int>(verdict.accepted()), value(verdict.next)}; }

/// What core/speculation says of sequence s.
template <typename T>
Judged core_says(const VerifyProblem<T>& problem, std::size_t s) {
  Draft draft;
  std::vector<std::vector<double>> target;
  std::vector<double> uniforms;
  for (unsigned i = 0; i <= problem.counts[s]; ++i) {
    const T* const row = problem.target(s, i);
    target.emplace_back(row, row + problem.vocab);
    uniforms.push_back(problem.uniform(s, i));
    if (i == problem.counts[s]) break;
    draft.tokens.push_back(TokenId{problem.token(s, i)});
    if (!problem.is_drawn) continue;
    const T* const guess = problem.draft(s, i);
    draft.probabilities.emplace_back(guess, guess + problem.vocab);
  }
  return judged(verify_sampled(draft, target, uniforms));
}

template <typename T>
void check_against_core(const VerifyProblem<T>& problem) {
  for (const VerifyRung rung : kRungs) {
    INFO(problem.vocab << " tokens, rung " << static_cast<int>(rung));
    const std::vector<Judged> got = problem.run(rung);
    REQUIRE(got.size() == problem.counts.size());
    for (std::size_t s = 0; s < got.size(); ++s) {
      INFO("sequence " << s);
      CHECK(problem.expected(s) == core_says(problem, s));
      CHECK(problem.is_right(rung, s, got[s]));
      if (rung == VerifyRung::thread) CHECK(got[s] == core_says(problem, s));
    }
  }
}

/// One draft, token 0 of a few: rows of the target for it and behind it, what it was drawn from (empty: it was
/// certain), and the two random numbers.
VerifyProblem<double> one_draft(const std::vector<double>& p, const std::vector<double>& behind,
                                const std::vector<double>& q, double u, double last_u) {
  VerifyProblem<double> problem(static_cast<int>(p.size()), {1}, !q.empty());
  std::copy(p.begin(), p.end(), problem.target(0, 0));
  std::copy(behind.begin(), behind.end(), problem.target(0, 1));
  if (!q.empty()) std::copy(q.begin(), q.end(), problem.draft(0, 0));
  problem.token(0, 0) = 0;
  problem.uniform(0, 0) = u;
  problem.uniform(0, 1) = last_u;
  return problem;
}

/// Every rung's answer, which is one and the same.
Judged answer(const VerifyProblem<double>& problem) {
  const Judged thread = problem.run(VerifyRung::thread)[0];
  CHECK(problem.run(VerifyRung::block)[0] == thread);
  return thread;
}

}  // namespace

TEST_CASE("verify_draft: core/speculation's tokens, for drafts of different lengths, drawn and certain") {
  for (const int vocab : {1, 2, 33, 700}) {
    for (const bool is_drawn : {true, false}) {
      check_against_core(VerifyProblem<float>(vocab, {3, 0, 5, 1, 5, 2, 40, 4}, is_drawn));
      check_against_core(VerifyProblem<double>(vocab, {2, 5, 0, 3}, is_drawn, 2));
    }
  }
  check_against_core(VerifyProblem<float>(9001, {2, 1, 0}, true));  // a share is more than one row of lanes
}

TEST_CASE("verify_draft: the same tokens in every order of threads") {
  const VerifyProblem<float> problem(90, {3, 0, 5, 1}, true, 3);
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    for (const VerifyRung rung : kRungs) CHECK(problem.is_right(rung, problem.run(rung)));
  }
}

TEST_CASE("verify_draft: many draws agree, with every draft accepted as often as by core/speculation") {
  std::size_t accepted = 0, rejected = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const VerifyProblem<float> problem(12, std::vector<unsigned>(40, 3), true, seed);
    const std::vector<Judged> got = problem.run(VerifyRung::block);
    for (std::size_t s = 0; s < got.size(); ++s) {
      CHECK(got[s] == core_says(problem, s));
      (got[s].accepted == 3 ? accepted : rejected) += 1;
    }
  }
  CHECK(accepted > 20);
  CHECK(rejected > 20);
}

TEST_CASE("verify_draft: where sums are exact, a number on the border belongs to the token behind it") {
  // p - q = 0, 1/4, 1/8, 1/8: their sum is 1/2, so that the borders are at 1/2 and 3/4.
  const std::vector<double> p = {0.25, 0.375, 0.25, 0.125}, q = {0.75, 0.125, 0.125, 0};
  const auto behind_rejected = [&](double u) { return answer(one_draft(p, p, q, 0.9, u)); };
  CHECK(behind_rejected(0) == Judged{0, 1});
  CHECK(behind_rejected(0.5 - 0x1p-53) == Judged{0, 1});
  CHECK(behind_rejected(0.5) == Judged{0, 2});
  CHECK(behind_rejected(0.75) == Judged{0, 3});
  CHECK(behind_rejected(1 - 0x1p-53) == Judged{0, 3});
  const auto bonus = [&](double u) { return answer(one_draft(p, p, q, 0, u)); };
  CHECK(bonus(0.25 - 0x1p-53) == Judged{1, 0});
  CHECK(bonus(0.25) == Judged{1, 1});
  CHECK(bonus(0.875) == Judged{1, 3});
  CHECK(answer(one_draft(p, p, q, 0.25 / 0.75, 0)) == Judged{1, 0});  // p / q >= u: equal is enough
}

TEST_CASE("verify_draft: on borders that are rounded, rung block says one of the two tokens beside them") {
  VerifyProblem<double> problem(1000, {1}, true, 5);
  problem.target(0, 0)[problem.token(0, 0)] = 0;  // rejected
  double total = 0, reached = 0;
  std::vector<double> left;
  for (int i = 0; i < 1000; ++i) left.push_back(std::max(problem.target(0, 0)[i] - problem.draft(0, 0)[i], 0.0));
  for (const double number : left) total += number;
  REQUIRE(problem.expected(0).accepted == 0);
  for (int i = 0; i < 1000; ++i) {
    reached += left[static_cast<std::size_t>(i)];
    if (i % 50 != 0 || left[static_cast<std::size_t>(i)] == 0) continue;
    problem.uniform(0, 1) = std::min(reached / total, 1 - 0x1p-53);
    const std::vector<Judged> got = problem.run(VerifyRung::block);
    CHECK(problem.is_right(VerifyRung::block, got));
    CHECK(left[static_cast<std::size_t>(got[0].next)] > 0);
  }
}

TEST_CASE("verify_draft: what is impossible is neither accepted nor drawn, not even by 0") {
  const auto says = [](const VerifyProblem<double>& problem) {
    CHECK(answer(problem) == core_says(problem, 0));
    return answer(problem);
  };
  CHECK(says(one_draft({0, 0.5, 0.5}, {0, 1, 0}, {1, 0, 0}, 0, 0)) == Judged{0, 1});  // p = 0
  CHECK(says(one_draft({0, 0.5, 0.5}, {0, 1, 0}, {}, 0, 0)) == Judged{0, 1});         // also of a certain draft
  CHECK(says(one_draft({0.5, 0.5, 0}, {0, 1, 0}, {0, 1, 0}, 0, 0)) == Judged{0, 0});  // q = 0: it was not drawn
  CHECK(says(one_draft({1, 0, 0}, {0, 0, 1}, {}, 0.999, 0)) == Judged{1, 2});         // certain on both sides
  CHECK(says(one_draft({0.5, 0, 0.5}, {1, 0, 0}, {}, 0.6, 0)) == Judged{0, 2});       // what is left has a hole
  CHECK(says(one_draft({0.5, 0.25}, {1, 0}, {1, 0.25}, 0.75, 0.6)) == Judged{0, 1});  // nothing left: p itself
  CHECK(says(one_draft({0.5, 0.25}, {1, 0}, {1, 0.25}, 0.75, 0.9)) == Judged{0, 1});  // beyond its sum: the last
}

TEST_CASE("verify_draft: where core/speculation throws no token comes, and other sequences are not troubled") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> p = {0.25, 0.75}, q = {0.75, 0.25};
  const auto refused = [](const VerifyProblem<double>& problem) {
    CHECK_THROWS_AS(core_says(problem, 0), kvarium::MisuseError);
    return answer(problem);
  };
  CHECK(refused(one_draft({nan, 1}, p, q, 0, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft({0.25, nan}, p, q, 0.9, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft({0.25, infinity}, p, q, 0.9, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft(p, p, {nan, 1}, 0, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft(p, p, {0.75, nan}, 0.9, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft(p, p, {0.75, -1}, 0.9, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft(p, p, {2, 0}, 0.9, 0)) == Judged{0, kNoToken});
  CHECK(refused(one_draft(p, {0, 0}, q, 0, 0)) == Judged{1, kNoToken});
  CHECK(refused(one_draft(p, {nan, nan}, q, 0, 0)) == Judged{1, kNoToken});
  for (const int outside : {-1, 7, 1 << 30}) {
    VerifyProblem<double> problem(7, {4, 4}, true, 4);
    for (unsigned i = 0; i < 5; ++i) problem.uniform(0, i) = 0;
    problem.token(0, 0) = problem.token(0, 1) = 0;
    problem.token(0, 2) = outside;
    CHECK_THROWS_AS(core_says(problem, 0), kvarium::MisuseError);
    for (const VerifyRung rung : kRungs) {
      CHECK(problem.run(rung)[0] == Judged{2, kNoToken});
      CHECK(problem.run(rung)[1] == core_says(problem, 1));
    }
  }
}

TEST_CASE("verify_draft: more drafts than there is room for, no sequences and no vocabulary") {
  VerifyProblem<float> problem(5, {2, 1}, true);
  const std::vector<Judged> before = problem.run(VerifyRung::thread);
  problem.counts[0] = 3;
  for (const VerifyRung rung : kRungs) {
    CHECK(problem.run(rung) == std::vector<Judged>{{0, kNoToken}, before[1]});
    CHECK(VerifyProblem<float>(5, {}, true).run(rung).empty());
    problem.vocab = 0;
    CHECK_THROWS_WITH(problem.run(rung), "verify_draft: a vocabulary has tokens, not 0");
    problem.vocab = 5;
  }
}

TEST_CASE("verify_greedy: core/speculation's tokens") {
  constexpr unsigned kMost = 3;
  const std::vector<int> drafts = {4, 5, 6, 4, 5, 6, 9, 5, -1, -1, -1, -1},
                         best = {4, 5, 6, 7, 4, 9, 6, 7, 4, 5, 6, 7, 8, 1, 1, 1};
  const std::vector<unsigned> counts = {3, 3, 2, 0};
  const std::vector<Judged> got = kvarium_test::judged_greedily(drafts, counts, best, kMost);
  for (std::size_t s = 0; s < counts.size(); ++s) {
    std::vector<TokenId> own, likeliest;
    for (std::size_t i = 0; i < counts[s]; ++i) own.push_back(TokenId{drafts[s * kMost + i]});
    for (std::size_t i = 0; i <= counts[s]; ++i) likeliest.push_back(TokenId{best[s * (kMost + 1) + i]});
    CHECK(got[s] == judged(kvarium::verify_greedy(own, likeliest)));
  }
  CHECK(got == std::vector<Judged>{{3, 7}, {1, 9}, {0, 4}, {0, 8}});
  CHECK(kvarium_test::judged_greedily({4}, {2}, {4, 5}, 1) == std::vector<Judged>{{0, kNoToken}});
  CHECK(kvarium_test::judged_greedily({}, {}, {}, 1).empty());
}

TEST_CASE("verify_draft: the bytes of the header table") {
  constexpr std::size_t kRow = 640 * sizeof(float), kShare = 32 * sizeof(float);
  const auto bytes = [](const VerifyProblem<float>& problem, VerifyRung rung, const std::string& of) {
    return kvarium_test::traffic_of([&] { problem.run(rung); }, of).bytes;
  };
  VerifyProblem<float> problem(640, {1}, true, 6);
  problem.uniform(0, 1) = 1 - 0x1p-53;  // the walk goes to the end
  problem.target(0, 0)[639] = problem.target(0, 1)[639] = 0.5F;
  problem.draft(0, 0)[639] = 0;
  problem.token(0, 0) = 3;
  problem.target(0, 0)[3] = problem.draft(0, 0)[3] = 0.1F;
  problem.uniform(0, 0) = 0;  // accepted
  constexpr std::size_t kWarps = kVerifyThreads / 32, kOne = sizeof(float);
  CHECK(bytes(problem, VerifyRung::thread, "target") == kRow + kOne);
  CHECK(bytes(problem, VerifyRung::thread, "draft") == kOne);
  CHECK(bytes(problem, VerifyRung::block, "target") == kRow + kShare + kWarps * kOne);
  CHECK(bytes(problem, VerifyRung::block, "draft") == kWarps * kOne);
  problem.uniform(0, 0) = 1;
  problem.target(0, 0)[3] = 0.05F;  // rejected
  for (const char* of : {"target", "draft"}) {
    CHECK(bytes(problem, VerifyRung::thread, of) == 2 * kRow + kOne);
    CHECK(bytes(problem, VerifyRung::block, of) == kRow + kShare + kWarps * kOne);
  }
  problem.is_drawn = false;
  CHECK(bytes(problem, VerifyRung::thread, "target") == 2 * kRow + kOne);
  CHECK(bytes(problem, VerifyRung::block, "draft") == 0);
}

TEST_CASE("mutants: verify_draft without one of its barriers is noticed in every order of threads") {
  // A draft is rejected though nothing is left, so that both sums are made.
  const VerifyProblem<double> problem = one_draft({0.5, 0.25}, {1, 0}, {1, 0.25}, 0.75, 0.6);
  kvarium_test::expect_all_needed([&] { problem.run(VerifyRung::block); }, 3);
}
