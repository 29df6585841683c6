// The smaller pieces of geometry: block tables, links, the time axis, the work triangle, fitted text.

#include "tests/support/catch.h"
#include "visualizer/layout/links.h"
#include "visualizer/layout/table_rows.h"
#include "visualizer/layout/text_fit.h"
#include "visualizer/layout/time_axis.h"
#include "visualizer/layout/work_triangle.h"

using namespace kvarium;
using namespace kvarium::ui::layout;

namespace {

float ten_pixels_a_byte(std::string_view text) { return 10.0F * static_cast<float>(text.size()); }

}  // namespace

TEST_CASE("A table row has a cell a token, and a wider gap between blocks") {
  const TableRows rows = table_rows({{RequestId{0}, 17, 3, 17}}, 8, {0, 0, 800, 222}, 0, 1);
  REQUIRE(rows.rows.size() == 1);
  const TableRow& row = rows.rows[0];
  CHECK(row.detail == RowDetail::tokens);
  CHECK(row.token_rect(1).x == row.token_rect(0).right());
  CHECK(row.token_rect(8).x == row.token_rect(7).right() + row.gap);
  CHECK(row.block_rect(2).right() <= 800);
  const auto found = hit(rows, row.token_rect(13).centre());
  REQUIRE(found);
  CHECK(found->position == 13U);
  CHECK(found->block == 1U);
}

TEST_CASE("A long row shows its blocks instead, and folds the oldest away when they do not fit") {
  const TableRows rows = table_rows({{RequestId{0}, 4000, 250}, {RequestId{1}, 20, 2}}, 16, {0, 0, 800, 222}, 0, 1);
  const TableRow& row = rows.rows[0];
  CHECK(row.detail == RowDetail::blocks);
  CHECK(row.first_block > 0);
  CHECK(row.block_rect(row.first_block - 1).empty());
  CHECK(row.block_rect(249).right() <= 800);
  CHECK(row.folded_rect().right() <= row.block_rect(row.first_block).x);
  CHECK(rows.rows[1].first_block == 0);
}

TEST_CASE("Of a million rows only the visible ones are built") {
  const std::vector<RowInput> inputs(1000000, RowInput{RequestId{0}, 8, 1});
  const TableRows rows = table_rows(inputs, 8, {0, 100, 800, 222}, 5000, 1);
  CHECK(rows.rows.size() < 10);
  CHECK(rows.rows.front().rect.y <= 100);
  CHECK(rows.content_height > 1e7F);
}

TEST_CASE("A link leaves an entry downwards and arrives at its block from above") {
  const Curve curve = link_curve({0, 0, 10, 10}, {100, 50, 20, 20});
  CHECK(point_on(curve, 0) == Point{5, 10});
  CHECK(point_on(curve, 1) == Point{110, 50});
  CHECK(curve[1].x == curve[0].x);
  CHECK(curve[2].x == curve[3].x);
  CHECK(first_part(curve, 0.5F)[3] == point_on(curve, 0.5F));
}

TEST_CASE("Moments and steps translate into each other") {
  // Three events of set-up, step 1 is events 3..6, step 2 is events 7..8.
  Trace trace;
  for (int event = 0; event < 9; ++event) {
    if (event == 3 || event == 7)
      trace.emit(StepStarted{event == 3 ? 1U : 2U});
    else
      trace.emit(Said{"a word", {}});
  }
  CHECK(end_of(trace) == 3.0);
  CHECK(time_of(trace, 0) == 0.0);
  CHECK(time_of(trace, 3) == 1.0);
  CHECK(time_of(trace, 5) == 1.5);
  CHECK(time_of(trace, 7) == 2.0);
  CHECK(time_of(trace, 9) == 3.0);
  for (std::size_t position = 0; position <= 9; ++position)
    CHECK(position_at(trace, time_of(trace, position)) == position);
  CHECK(position_at(trace, -1) == 0);
  CHECK(position_at(trace, 99) == 9);
}

TEST_CASE("A trace without steps has a time axis too") {
  Trace trace;
  CHECK(time_of(trace, 0) == 0.0);
  for (int event = 0; event < 4; ++event) trace.emit(Said{"a word", {}});
  CHECK(time_of(trace, 2) == 0.5);
  CHECK(position_at(trace, 1.0) == 4);
}

TEST_CASE("Zooming keeps what is under the pointer, and stays within the trace") {
  TimeAxis axis{0, 100, 50, 1000};
  const double under = axis.time_at(300);
  axis.zoom(0.5, 300, 100);
  CHECK(axis.last - axis.first == kvarium_test::Approx(50));
  CHECK(axis.time_at(300) == kvarium_test::Approx(under));
  axis.pan(1000, 100);
  CHECK(axis.last == kvarium_test::Approx(100));
  axis.zoom(1000, 300, 100);
  CHECK(axis.first == 0);
  CHECK(axis.last == kvarium_test::Approx(100));
  CHECK(axis.x_of(axis.time_at(123)) == kvarium_test::Approx(123));
}

TEST_CASE("Only the items in the window are drawn") {
  struct Item {
    double start, stop;
  };
  std::vector<Item> items;
  items.reserve(10000);
  for (int i = 0; i < 10000; ++i) items.push_back({i * 2.0, i * 2.0 + 1});
  const TimeAxis axis{100.5, 110, 0, 100};
  const auto [first, last] = visible(
      items, axis, [](const Item& i) { return i.start; }, [](const Item& i) { return i.stop; });
  CHECK(first == 50);
  CHECK(last == 55);
}

TEST_CASE("Labels of the time axis are round and never crowd") {
  const TimeAxis axis{0, 112, 0, 1300};
  const double distance = label_distance(axis, 60);
  CHECK(distance == 10);
  CHECK(axis.x_of(distance) - axis.x_of(0) >= 60);
}

TEST_CASE("The work triangle counts what is computed, thrown away and read") {
  // A recomputes everything in each step; B keeps K and V. Prompt of 2, then one token a step.
  std::vector<WorkRow> a, b;
  for (std::uint32_t step = 1; step <= 3; ++step) {
    const std::uint32_t length = step + 1;
    a.push_back({.step = step, .first = 0, .count = length, .read_count = length, .kept = false});
    b.push_back(
        {.step = step, .first = step == 1 ? 0 : length - 1, .count = step == 1 ? length : 1, .read_count = length});
  }
  CHECK(work_counts(a) == WorkCounts{9, 0, 0});
  CHECK(work_counts(b) == WorkCounts{0, 4, 5});
  CHECK(work_counts(rows_until(b, 1)) == WorkCounts{0, 2, 0});
  CHECK(rows_until(b, 0).empty());
  CHECK(work_cell(b[2], 3) == WorkCell::kept);
  CHECK(work_cell(b[2], 2) == WorkCell::read);
  CHECK(work_cell(b[2], 4) == WorkCell::none);
  CHECK(work_cell(a[1], 0) == WorkCell::thrown_away);
}

TEST_CASE("A work grid that is too tall keeps the newest steps") {
  const WorkGrid grid = work_grid(1000, 50, {0, 0, 300, 90}, 1);
  CHECK(grid.rows == 30);
  CHECK(grid.first_row == 970);
  CHECK(grid.cell_rect(969, 0).empty());
  CHECK(grid.cell_rect(999, 0).bottom() <= 90);
}

TEST_CASE("Text is cut between characters and marked as cut") {
  CHECK(fit_text("cache", 50, ten_pixels_a_byte) == "cache");
  CHECK(fit_text("caches", 50, ten_pixels_a_byte) == "ca…");  // the mark is three bytes
  CHECK(fit_text("é€cache", 60, ten_pixels_a_byte) == "é…");  // never half of a character
  CHECK(fit_text("cache", 10, ten_pixels_a_byte).empty());
  CHECK(visible_token(" the\n") == "·the\\n");
  CHECK(visible_token("▁the") == "·the");
}
