// A tree is drawn so that nothing lies on anything.

#include <cmath>
#include <map>
#include <random>

#include "tests/support/catch.h"
#include "visualizer/layout/tidy_tree.h"

using namespace kvarium::ui::layout;
using kvarium_test::Approx;

namespace {

/// Places are sums of halves of at most a few thousand: exact in floats, up to a few roundings for odd divisions.
constexpr double kTolerance = 1e-2;

void check_tidy(const std::vector<std::uint32_t>& parents, const std::vector<TreePlace>& places) {
  REQUIRE(places.size() == parents.size());
  std::map<std::uint32_t, float> last_of_depth;  // nodes of a depth are visited in order: parents[] is in preorder
  std::vector<std::vector<std::uint32_t>> children(parents.size());
  for (std::uint32_t i = 1; i < parents.size(); ++i) children[parents[i]].push_back(i);
  std::size_t too_close = 0, off_centre = 0, wrong_depth = 0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const auto [before, is_first] = last_of_depth.try_emplace(places[i].depth, places[i].across);
    if (!is_first && places[i].across < before->second + 1 - kTolerance) ++too_close;
    before->second = places[i].across;
    if (i > 0 && places[i].depth != places[parents[i]].depth + 1) ++wrong_depth;
    if (children[i].empty()) continue;
    const float middle = (places[children[i].front()].across + places[children[i].back()].across) / 2;
    if (std::abs(middle - places[i].across) > kTolerance) ++off_centre;
  }
  CHECK(too_close == 0);
  CHECK(off_centre == 0);
  CHECK(wrong_depth == 0);
}

}  // namespace

TEST_CASE("a parent of two stands between them, and the first one is at the edge") {
  const std::vector<TreePlace> places = tidy_tree({0, 0, 0});
  CHECK(places[0].across == Approx(0.5));
  CHECK(places[1].across == Approx(0));
  CHECK(places[2].across == Approx(1));
  CHECK(places[2].depth == 1);
}

TEST_CASE("subtrees are moved apart as far as their outlines need, not as far as they are wide") {
  // root { a { b c d }, e }: e is a leaf and stands beside a, above d.
  const std::vector<TreePlace> places = tidy_tree({0, 0, 1, 1, 1, 0});
  CHECK(places[1].across == Approx(1));
  CHECK(places[5].across == Approx(2));
  CHECK(places[0].across == Approx(1.5));
}

TEST_CASE("a subtree that is deeper than its left neighbour keeps clear of it at every depth") {
  const std::vector<std::uint32_t> parents{0, 0, 1, 1, 0, 4, 5, 6, 6};
  check_tidy(parents, tidy_tree(parents));
}

TEST_CASE("an empty tree, a root alone and a chain of 10,000 are drawn too") {
  CHECK(tidy_tree({}).empty());
  CHECK(tidy_tree({0}).front().across == 0);
  std::vector<std::uint32_t> chain(10'001, 0);
  for (std::uint32_t i = 1; i < chain.size(); ++i) chain[i] = i - 1;
  const std::vector<TreePlace> places = tidy_tree(chain);
  CHECK(places.back().depth == 10'000);
  CHECK(places.back().across == Approx(0));
}

TEST_CASE("random trees never overlap, keep their order and centre every parent") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> parents{0}, path{0};  // in preorder: the next node hangs on the path to the last one
    const std::size_t count = 2 + random() % 600;
    while (parents.size() < count) {
      path.resize(1 + random() % path.size());
      parents.push_back(path.back());
      path.push_back(static_cast<std::uint32_t>(parents.size() - 1));
    }
    check_tidy(parents, tidy_tree(parents));
  }
}
