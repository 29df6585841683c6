// The geometry of the Heads and Roofline tabs.

#include <cmath>

#include "tests/support/catch.h"
#include "visualizer/layout/head_figure.h"
#include "visualizer/layout/roofline_chart.h"

using namespace kvarium::ui::layout;
using kvarium_test::Approx;

namespace {

bool within(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() && inner.bottom() <= outer.bottom();
}

void check_figure(std::uint32_t query_heads, std::uint32_t stores, const Rect& area) {
  INFO(query_heads << " query heads, " << stores << " stores in " << area.width << " x " << area.height);
  const HeadFigure figure = head_figure(query_heads, stores, area, 26);
  REQUIRE(figure.queries.size() == query_heads);
  REQUIRE(figure.stores.size() == stores);
  std::vector<Rect> all = figure.queries;
  all.insert(all.end(), figure.stores.begin(), figure.stores.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(within(all[i], area));
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(all[i], all[j]));
  }
  const std::uint32_t a_group = query_heads / stores;
  for (std::uint32_t head = 0; head < query_heads; ++head) {  // each stands over the box of its group
    const Rect& square = figure.queries[head];
    const Rect& box = figure.stores[head / a_group];
    CHECK(square.x >= box.x);
    CHECK(square.right() <= box.right() + 0.01F);
    CHECK(square.bottom() <= box.y + 0.01F);
  }
}

}  // namespace

TEST_CASE("query heads stand over the K and V that they read, all inside and none over another") {
  for (const Rect area : {Rect{10, 20, 380, 300}, Rect{0, 0, 340, 150}, Rect{5, 5, 900, 80}}) {
    check_figure(32, 32, area);  // MHA
    check_figure(32, 8, area);   // GQA
    check_figure(64, 8, area);   // GQA
    check_figure(71, 1, area);   // MQA
    check_figure(128, 1, area);  // MLA
    check_figure(128, 128, area);
    check_figure(1, 1, area);
  }
}

TEST_CASE("where there is no room, or no groups of one size, there is no figure") {
  CHECK(head_figure(32, 8, {0, 0, 4, 4}, 26).queries.empty());
  CHECK(head_figure(32, 5, {0, 0, 400, 400}, 26).queries.empty());
  CHECK(head_figure(32, 0, {0, 0, 400, 400}, 26).queries.empty());
}

TEST_CASE("a decade is as wide as the next, and what lies outside is drawn at the edge") {
  const RooflineChart chart = roofline_chart({100, 50, 600, 500}, 989.4e12);
  CHECK(chart.y.high == 15);
  CHECK(chart.y.low == 10);
  CHECK(chart.x_of(0.1) == Approx(100));
  CHECK(chart.x_of(1) == Approx(200));
  CHECK(chart.x_of(10) == Approx(300));
  CHECK(chart.x_of(1e5) == Approx(700));
  CHECK(chart.x_of(1e9) == Approx(700));
  CHECK(chart.x_of(0) == Approx(100));
  CHECK(chart.x_of(std::nan("")) == Approx(100));
  CHECK(chart.y_of(1e15) == Approx(50));
  CHECK(chart.y_of(1e10) == Approx(550));
  CHECK(chart.y_of(1e14) == Approx(150));
  CHECK(chart.inside(5));
  CHECK_FALSE(chart.inside(1e6));
}

TEST_CASE("the roof rises to the ridge and is level from there") {
  const RooflineChart chart = roofline_chart({0, 0, 600, 500}, 1e14);
  const std::vector<Point> roof = roof_line(chart, 1e14, 1e12);  // ridge at 100 FLOP/B
  REQUIRE(roof.size() == 3);
  CHECK(roof[0] == chart.place(0.1, 1e11));
  CHECK(roof[1] == chart.place(100, 1e14));
  CHECK(roof[2] == chart.place(1e5, 1e14));
  CHECK(roof[1].y == roof[2].y);
  const std::vector<Point> low = roof_line(chart, 1e14, 1e10);  // 0.1 FLOP/B is 1e9 FLOP/s: below the chart
  REQUIRE(low.size() == 4);
  CHECK(low[1] == chart.place(1, 1e10));
}
