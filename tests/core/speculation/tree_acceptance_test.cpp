// Which path of a tree the target goes, with the probabilities worked out by hand, and by counting that nothing
// changes.

#include "core/speculation/tree_acceptance.h"

#include <algorithm>
#include <random>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "core/speculation/chi_square.h"
#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using kvarium_test::ids;

namespace {

using Path = std::vector<std::uint32_t>;

/// 0 ┬ 1 ─ 3
///   └ 2
CandidateTree small_tree() { return tree_of({0, 0, 0, 1}); }

using Distributions = std::vector<std::vector<double>>;

TreeVerdict verify(const CandidateTree& tree, const std::vector<TokenId>& candidates, const Distributions& p,
                   const std::vector<double>& u) {
  return verify_tree_sampled(
      tree, candidates, [&](std::uint32_t node) { return p.at(node); }, u);
}

}  // namespace

TEST_CASE("greedy: the second guess is accepted when the first is wrong") {
  const TreeVerdict got = verify_tree_greedy(small_tree(), ids({4, 5, 6}), ids({5, 0, 8, 0}));
  CHECK(got.path == Path{2});
  CHECK(got.verdict.accepted() == 1);
  CHECK_FALSE(got.verdict.rejected());  // nothing was guessed behind it: 8 is a bonus
  CHECK(got.verdict.next == TokenId{8});
}

TEST_CASE("greedy: when no guess is right the first of them stands for all that were rejected") {
  const TreeVerdict got = verify_tree_greedy(small_tree(), ids({4, 5, 6}), ids({9, 0, 0, 0}));
  CHECK(got.path.empty());
  REQUIRE(got.verdict.trials.size() == 1);
  CHECK(got.verdict.trials[0].token == TokenId{4});
  CHECK(got.verdict.rejected());
  CHECK(got.verdict.next == TokenId{9});
  CHECK(verify_tree_greedy(small_tree(), ids({4, 5, 6}), ids({4, 7, 0, 0})).verdict.rejected());
}

TEST_CASE(
    "sampling: the random number of a node draws what the target says there, and a child that is it is accepted") {
  const std::vector<std::vector<double>> p{{.5, .3, .2}, {.1, .1, .8}, {0, 1, 0}, {.25, .5, .25}};
  const std::vector<double> u{.6, .0, .9, .0};  // .6 lies in the .3 of token 1: node 2
  const TreeVerdict got = verify(small_tree(), ids({0, 1, 2}), p, u);
  CHECK(got.path == Path{2});
  CHECK(got.verdict.trials[0].p == .3);
  CHECK(got.verdict.trials[0].u == .6);
  CHECK(got.verdict.next == TokenId{1});
  CHECK(got.verdict.next_probability == 1);
}

TEST_CASE("sampling: what is impossible is never accepted, also with u = 0") {
  const std::vector<std::vector<double>> p(2, {0, 1});
  CHECK(verify(tree_of({0, 0}), ids({0}), p, {0, 0}).path.empty());
}

TEST_CASE("counted: three tokens through trees have the target's joint distribution, whatever the guesses are") {
  constexpr std::size_t kVocab = 3;
  constexpr int kDraws = 200'000;
  // The distribution behind a token depends on it alone; the first follows token 0.
  const std::vector<std::vector<double>> after{{.2, .5, .3}, {.6, .1, .3}, {.05, .15, .8}};
  const CandidateTree tree = tree_of({0, 0, 0, 1, 1, 2});
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> counts(kVocab * kVocab * kVocab, 0);
  std::uint64_t accepted = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<TokenId> said{TokenId{0}};
    while (said.size() < 4) {
      const std::vector<TokenId> guesses = ids({1, 0, 2, 1, 2});
      std::vector<std::vector<double>> p{after[index(said.back())]};
      for (const TokenId guess : guesses) p.push_back(after[index(guess)]);
      std::vector<double> u;
      while (u.size() < tree.size()) u.push_back(uniform(random));
      const TreeVerdict got = verify(tree, guesses, p, u);
      for (const std::uint32_t node : got.path) said.push_back(guesses[node - 1]);
      said.push_back(got.verdict.next);
      accepted += got.path.size();
    }
    ++counts[(index(said[1]) * kVocab + index(said[2])) * kVocab + index(said[3])];
  }
  std::vector<double> expected;
  for (std::size_t a = 0; a < kVocab; ++a) {
    for (std::size_t b = 0; b < kVocab; ++b) {
      for (std::size_t c = 0; c < kVocab; ++c) expected.push_back(after[0][a] * after[a][b] * after[b][c]);
    }
  }
  CHECK(chi_square(counts, expected).p_value > .001);
  CHECK(accepted > kDraws);  // of what was guessed much is used
}

TEST_CASE("lengths that do not fit, and candidates outside the vocabulary, are misuse") {
  const std::vector<std::vector<double>> p(4, {.5, .5});
  const std::vector<double> u(4, .5);
  CHECK_THROWS_AS(verify_tree_greedy(small_tree(), ids({1, 2}), ids({0, 0, 0, 0})), MisuseError);
  CHECK_THROWS_AS(verify_tree_greedy(small_tree(), ids({1, 2, 3}), ids({0, 0, 0})), MisuseError);
  CHECK_THROWS_AS(verify(small_tree(), ids({2, 3, 1}), p, u), MisuseError);
  CHECK_THROWS_AS(verify(small_tree(), ids({0, 1}), p, u), MisuseError);
  CHECK_THROWS_AS(verify(small_tree(), ids({0, 1, 1}), p, {.5, .5, .5}), MisuseError);
}

TEST_CASE("two siblings with the same token are misuse: it would be drawn twice what follows them") {
  CHECK_THROWS_AS(verify_tree_greedy(small_tree(), ids({1, 1, 3}), ids({0, 0, 0, 0})), MisuseError);
  CHECK_THROWS_AS(verify(small_tree(), ids({1, 1, 0}), Distributions(4, {.5, .5}), {.5, .5, .5, .5}), MisuseError);
}

TEST_CASE("at random: the walk ends where the longest path ends, along which the target says every candidate") {
  std::mt19937_64 random(17);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint32_t> parents{0};
    while (parents.size() < 1 + random() % 9) {
      parents.push_back(std::max<std::uint32_t>(parents.back(), static_cast<std::uint32_t>(random() % parents.size())));
    }
    const CandidateTree tree = tree_of(parents);
    std::vector<TokenId> tokens{TokenId{0}}, best;
    for (std::uint32_t node = 1; node < tree.size(); ++node) {
      tokens.push_back(TokenId{static_cast<std::int32_t>(tree.ranks[node])});
    }
    while (best.size() < tree.size()) best.push_back(TokenId{static_cast<std::int32_t>(random() % 3)});
    const TreeVerdict got = verify_tree_greedy(tree, std::span(tokens).subspan(1), best);
    const PathVerdict wanted = verify_paths(along_paths(tree, tokens), along_paths(tree, best));
    CHECK(got.path.size() == wanted.accepted);
    CHECK(got.verdict.next == wanted.next);
    const std::vector<std::uint32_t>& way = tree.paths[wanted.path];
    CHECK(std::equal(got.path.begin(), got.path.end(), way.begin() + 1));
  }
}
