#include "core/speculation/tree.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::ids;

namespace {

CandidateTree small_tree() { return make_tree({{0}, {0, 0}, {1}, {0, 1}, {0, 0, 0}}); }

std::string mask_row(const CandidateTree& tree, std::uint32_t node) {
  std::string row;
  for (std::uint32_t other = 0; other < tree.size(); ++other) row += tree.attends(node, other) ? '1' : '0';
  return row;
}

using Rows = std::vector<std::vector<TokenId>>;

}  // namespace

TEST_CASE("nodes are numbered by depth, then by rank, and look at themselves and what is above them") {
  const CandidateTree tree = small_tree();
  CHECK(tree.depths == std::vector<std::uint32_t>{0, 1, 1, 2, 2, 3});
  CHECK(tree.parents == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 3});
  CHECK(tree.ranks == std::vector<std::uint32_t>{0, 0, 1, 0, 1, 0});
  CHECK(mask_row(tree, 0) == "100000");
  CHECK(mask_row(tree, 1) == "110000");
  CHECK(mask_row(tree, 2) == "101000");
  CHECK(mask_row(tree, 3) == "110100");
  CHECK(mask_row(tree, 4) == "110010");
  CHECK(mask_row(tree, 5) == "110101");
}

TEST_CASE("paths lead from the root to each leaf, and are filled up with an id that no token has") {
  const CandidateTree tree = small_tree();
  CHECK(tree.paths == std::vector<std::vector<std::uint32_t>>{{0, 1, 3, 5}, {0, 1, 4}, {0, 2}});
  CHECK(along_paths(tree, ids({0, 1, 2, 3, 4, 5})) == Rows{ids({0, 1, 3, 5}), ids({0, 1, 4, -1}), ids({0, 2, -1, -1})});
}

TEST_CASE("a chain is a tree with one path; a tree without choices is the pending token alone") {
  const CandidateTree chain = make_tree({{0}, {0, 0}, {0, 0, 0}});
  CHECK(chain.paths == std::vector<std::vector<std::uint32_t>>{{0, 1, 2, 3}});
  const CandidateTree root = make_tree({});
  CHECK(root.paths == std::vector<std::vector<std::uint32_t>>{{0}});
  CHECK(verify_paths(along_paths(root, ids({4})), along_paths(root, ids({9}))) == PathVerdict{0, 0, TokenId{9}});
}

TEST_CASE("the parents alone make a tree: siblings are ranked in the order of their numbers") {
  const CandidateTree tree = tree_of({0, 0, 0, 1, 1, 3});
  CHECK(tree.depths == small_tree().depths);
  CHECK(tree.ranks == small_tree().ranks);
  CHECK(tree.paths == small_tree().paths);
  CHECK(depth_of(tree.parents, 5) == 3);
  CHECK(depth_of(tree.parents, 0) == 0);
}

TEST_CASE("parents that are no tree, or whose nodes are not numbered by depth, are misuse") {
  using Parents = std::vector<std::uint32_t>;
  for (const Parents& parents : {Parents{}, Parents{1}, Parents{0, 1}, Parents{0, 0, 3, 1}, Parents{0, 0, 1, 0}}) {
    CHECK_THROWS_AS(tree_of(parents), MisuseError);
  }
}

TEST_CASE("siblings with the same token are noticed, cousins with it are not") {
  const std::vector<std::uint32_t> parents{0, 0, 0, 1, 2};
  CHECK(siblings_differ(parents, ids({5, 6, 7, 7})));
  CHECK_FALSE(siblings_differ(parents, ids({5, 5, 7, 8})));
  CHECK(siblings_differ(std::vector<std::uint32_t>{0}, {}));
}

TEST_CASE("a path lies in front when it takes the first nodes, as a chain does") {
  using Path = std::vector<std::uint32_t>;
  CHECK(lies_in_front(Path{}));
  CHECK(lies_in_front(Path{1, 2, 3}));
  CHECK_FALSE(lies_in_front(Path{2}));
  CHECK_FALSE(lies_in_front(Path{1, 3}));
}

TEST_CASE("a tree grows where a path is likeliest to be right") {
  const std::vector<std::vector<double>> right{{.5, .25}, {.5, .25}};
  const auto parents = [&](std::size_t nodes) { return grow_tree(right, nodes).parents; };
  CHECK(parents(0) == std::vector<std::uint32_t>{0});
  CHECK(parents(1) == std::vector<std::uint32_t>{0, 0});              // .5
  CHECK(parents(3) == std::vector<std::uint32_t>{0, 0, 0, 1});        // .25 for a second guess, and behind the first
  CHECK(parents(5) == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2});  // .125 each
  CHECK(parents(99).size() == 7);                                     // there are no more guesses
  CHECK(grow_tree({{.9}, {.1}, {1}}, 9).paths == std::vector<std::vector<std::uint32_t>>{{0, 1, 2, 3}});
}

TEST_CASE("no tree of as many nodes is expected to have more right ones") {
  const std::vector<std::vector<double>> right{{.6, .2, .1}, {.5, .3}, {.4}};
  const auto expected = [&](const CandidateTree& tree) {
    std::vector<double> likely{1};
    double sum = 0;
    for (std::size_t n = 1; n < tree.size(); ++n) {
      likely.push_back(likely[tree.parents[n]] * right[tree.depths[n] - 1][tree.ranks[n]]);
      sum += likely.back();
    }
    return sum;
  };
  // Every subset of all 15 paths that is a tree.
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t a = 0; a < 3; ++a) {
    all.push_back({a});
    for (std::uint32_t b = 0; b < 2; ++b) all.insert(all.end(), {{a, b}, {a, b, 0}});
  }
  std::vector<double> best(all.size() + 1, 0.0);
  for (unsigned chosen = 0; chosen < 1U << all.size(); ++chosen) {
    std::vector<std::vector<std::uint32_t>> choices;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((chosen >> i & 1U) != 0) choices.push_back(all[i]);
    }
    const auto has = [&](const std::vector<std::uint32_t>& one) {
      return one.empty() || std::find(choices.begin(), choices.end(), one) != choices.end();
    };
    const bool is_tree = std::all_of(choices.begin(), choices.end(), [&](std::vector<std::uint32_t> one) {
      one.pop_back();
      return has(one);
    });
    if (is_tree) best[choices.size()] = std::max(best[choices.size()], expected(make_tree(choices)));
  }
  for (std::size_t nodes = 0; nodes <= all.size(); ++nodes) {
    CHECK(expected(grow_tree(right, nodes)) >= best[nodes] - 1e-12);  // sums of 15 numbers below 1
  }
}

TEST_CASE("probabilities that do not descend, or are none, are misuse") {
  for (const std::vector<double>& ranks : {std::vector<double>{.1, .2}, {1.5}, {.5, -.1}, {.5, NAN, .3}}) {
    CHECK_THROWS_AS(grow_tree({ranks}, 2), MisuseError);
  }
}

TEST_CASE("the path that goes furthest wins, of equals the first") {
  const CandidateTree tree = small_tree();
  const Rows tokens = along_paths(tree, ids({10, 11, 12, 13, 14, 15}));
  const auto verdict = [&](const std::vector<TokenId>& target) {
    return verify_paths(tokens, along_paths(tree, target));
  };
  CHECK(verdict(ids({11, 13, 0, 15, 0, 9})) == PathVerdict{0, 3, TokenId{9}});
  CHECK(verdict(ids({11, 14, 0, 0, 8, 0})) == PathVerdict{1, 2, TokenId{8}});
  CHECK(verdict(ids({12, 0, 7, 0, 0, 0})) == PathVerdict{2, 1, TokenId{7}});
  CHECK(verdict(ids({99, 0, 0, 0, 0, 0})) == PathVerdict{0, 0, TokenId{99}});
  CHECK(verdict(ids({11, 99, 0, 0, 0, 0})) == PathVerdict{0, 1, TokenId{99}});
}

TEST_CASE("nothing is accepted behind the end of a short path, also when the target says token 0 there") {
  const Rows tokens{{TokenId{1}, TokenId{2}, TokenId{6}, kNoToken}};
  CHECK(verify_paths(tokens, Rows{ids({2, 6, 0, 0})}) == PathVerdict{0, 2, TokenId{0}});
}

TEST_CASE("a tree without a parent, with a choice twice or an empty one is refused") {
  CHECK_THROWS_WITH(make_tree({{0, 0}}), contains("parent is missing"));
  CHECK_THROWS_WITH(make_tree({{0}, {0}}), contains("twice"));
  CHECK_THROWS_AS(make_tree({{}}), InputError);
}

TEST_CASE("sizes that do not fit are misuse") {
  CHECK_THROWS_AS(along_paths(small_tree(), ids({1, 2})), MisuseError);
  CHECK_THROWS_AS(verify_paths(Rows{}, Rows{}), MisuseError);
  CHECK_THROWS_AS(verify_paths(Rows{ids({1})}, Rows{ids({1, 2})}), MisuseError);
  CHECK_THROWS_AS(verify_paths(Rows{{}}, Rows{{}}), MisuseError);
}
