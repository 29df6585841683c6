#include "core/speculation/tree.h"

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
