// Matrices as cells, and small pictures of all heads: where everything lies.

#include <cmath>

#include "tests/support/catch.h"
#include "visualizer/layout/head_groups.h"
#include "visualizer/layout/heat_map.h"

using namespace kvarium::ui::layout;
using kvarium_test::Approx;

TEST_CASE("A heat map shows all cells, square and no larger than a token needs") {
  const HeatMap small = heat_map(4, 4, {10, 20, 400, 300}, 1, true, {});
  CHECK(small.cell_width == 44);
  CHECK(small.area == Rect{10, 20, 176, 176});
  CHECK(small.cell(1, 2) == Rect{98, 64, 44, 44});
  const HeatMap large = heat_map(100, 100, {0, 0, 400, 320}, 1, true, {});
  CHECK(large.cell_width == 3);  // 320 / 100, in whole pixels
  CHECK(large.area == Rect{0, 0, 300, 300});
  const HeatMap huge = heat_map(1000, 1000, {0, 0, 400, 320}, 1, true, {});
  CHECK(huge.cell_width == Approx(0.32));
  CHECK(huge.area.height == Approx(320));
  CHECK((huge.first_row == 0 && huge.end_row == 1000));
}

TEST_CASE("A cell is found under the pointer, and nothing outside the map") {
  const HeatMap map = heat_map(4, 4, {10, 20, 400, 300}, 1, true, {});
  CHECK(map.hit({99, 65}) == HeatCell{1, 2});
  CHECK(map.hit({10, 20}) == HeatCell{0, 0});
  CHECK_FALSE(map.hit({9, 20}));
  CHECK_FALSE(map.hit({187, 20}));
}

TEST_CASE("Zooming keeps what is under the pointer there, and stays inside the map") {
  const Rect room{0, 0, 300, 300};
  HeatView view;
  HeatMap map = heat_map(100, 100, room, 1, true, view);
  const auto under = map.hit({200, 100});
  for (int i = 0; i < 6; ++i) {
    view = zoomed(view, map, {200, 100}, 1.25F);
    map = heat_map(100, 100, room, 1, true, view);
  }
  CHECK(map.cell_width == Approx(3 * std::pow(1.25, 6)));
  REQUIRE(under);
  const auto now = map.hit({200, 100});
  REQUIRE(now);
  CHECK(*now == *under);
  CHECK(map.end_column - map.first_column < 100);
  view.corner = {1000, -5};
  map = heat_map(100, 100, room, 1, true, view);
  CHECK(map.end_column == 100);
  CHECK(map.corner.y == 0);
  CHECK(map.hit({299, 299})->column == 99);
}

TEST_CASE("A cell outside the view is brought into it") {
  HeatView view{8, {0, 0}};
  const Rect room{0, 0, 300, 300};
  HeatMap map = heat_map(100, 100, room, 1, true, view);
  view = revealed(view, map, {90, 5});
  map = heat_map(100, 100, room, 1, true, view);
  CHECK(map.area.contains(map.cell(90, 5).centre()));
  CHECK(revealed(view, map, {90, 5}) == view);
}

TEST_CASE("Without rows or room a heat map is empty and hit by nothing") {
  for (const HeatMap& map :
       {heat_map(0, 4, {0, 0, 100, 100}, 1, true, {}), heat_map(4, 4, {0, 0, 0, 0}, 1, true, {})}) {
    CHECK(map.area.empty());
    CHECK_FALSE(map.hit({0, 0}));
  }
}

TEST_CASE("Labels stand at round numbers, as dense as they fit") {
  CHECK(label_stride(20, 12) == 1);
  CHECK(label_stride(7, 12) == 2);
  CHECK(label_stride(3, 12) == 5);
  CHECK(label_stride(0.3F, 12) == 50);
  CHECK(label_stride(0, 12) == 1);
}

TEST_CASE("Query heads that share a KV head stand side by side under its bar") {
  const HeadGroups groups = head_groups(8, 2, {0, 0, 300, 200}, 60, 18, 4);
  REQUIRE(groups.heads.size() == 8);
  REQUIRE(groups.bars.size() == 2);
  CHECK(groups.side == 60);
  for (std::size_t h = 0; h < 8; ++h) {
    const Rect& bar = groups.bars[h / 4];
    CHECK(groups.heads[h].x >= bar.x);
    CHECK(groups.heads[h].right() <= bar.right());
    CHECK(groups.heads[h].y >= bar.bottom());
  }
  CHECK(groups.hit(groups.heads[5].centre()) == 5U);
  CHECK_FALSE(groups.hit({groups.heads[0].x, groups.heads[0].y - 1}));
}

TEST_CASE("All heads of a layer fit into their room without touching each other") {
  for (const auto& [query_heads, kv_heads] : {std::pair{1U, 1U}, {9U, 3U}, {32U, 8U}, {32U, 32U}, {71U, 1U}}) {
    const Rect room{5, 5, 320, 260};
    const HeadGroups groups = head_groups(query_heads, kv_heads, room, 84, 14, 2);
    for (std::size_t a = 0; a < groups.heads.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(overlap(groups.heads[a], groups.heads[b]));
    }
    CHECK(groups.height <= room.height);
    if (query_heads < 71) CHECK(groups.heads.back().right() <= room.right());  // 71 pictures of 6 pixels are too many
  }
}
