#include "tests/support/catch.h"
#include "visualizer/layout/grouped_cells.h"

using namespace kvarium::ui::layout;

TEST_CASE("cells share a row, with a wider space after each group") {
  const std::vector<Rect> cells = grouped_cells({10, 5, 100, 7}, 8, 4, 4, 50);
  REQUIRE(cells.size() == 8);
  CHECK(cells[0] == Rect{10, 5, 12, 7});
  CHECK(cells[3].right() == 58);
  CHECK(cells[4].x == 62);
  CHECK(cells[7].right() == 110);
}

TEST_CASE("cells are no wider than they may be, and there are none without room") {
  CHECK(grouped_cells({0, 0, 100, 7}, 2, 0, 4, 20)[1] == Rect{20, 0, 20, 7});
  CHECK(grouped_cells({0, 0, 10, 7}, 32, 8, 4, 20).empty());
  CHECK(grouped_cells({0, 0, 100, 7}, 0, 8, 4, 20).empty());
}
