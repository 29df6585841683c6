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
  const TableRows rows = table_rows({{RequestId{0}, 17, 3}}, 8, {0, 0, 800, 222}, 0, 1);
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
  const std::vector<std::uint64_t> starts{3, 7};
  const StepClock clock{starts, 9};
  CHECK(clock.end() == 3.0);
  CHECK(clock.time_of(0) == 0.0);
  CHECK(clock.time_of(3) == 1.0);
  CHECK(clock.time_of(5) == 1.5);
  CHECK(clock.time_of(7) == 2.0);
  CHECK(clock.time_of(9) == 3.0);
  for (std::uint64_t count = 0; count <= 9; ++count) CHECK(clock.events_at(clock.time_of(count)) == count);
  CHECK(clock.events_at(-1) == 0);
  CHECK(clock.events_at(99) == 9);
}

TEST_CASE("A trace without steps has a time axis too") {
  const std::vector<std::uint64_t> none;
  CHECK(StepClock{none, 0}.time_of(0) == 0.0);
  CHECK(StepClock{none, 4}.time_of(2) == 0.5);
  CHECK(StepClock{none, 4}.events_at(1.0) == 4);
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
  WorkHistory history;
  const RequestId a{0}, b{1};
  const auto step = [&](std::uint64_t number, std::uint32_t length) {
    history.append(StepStarted{number});
    history.append(KvComputed{a, 0, length, Phase::decode, false});
    history.append(KvRead{a, length});
    history.append(KvComputed{b, number == 1 ? 0 : length - 1, number == 1 ? length : 1, Phase::decode, true});
    history.append(KvRead{b, length});
  };
  step(1, 2);
  step(2, 3);
  step(3, 4);
  CHECK(work_counts(history.rows(a), 99) == WorkCounts{9, 0, 0});
  CHECK(work_counts(history.rows(b), 99) == WorkCounts{0, 4, 5});
  CHECK(work_counts(history.rows(b), 5) == WorkCounts{0, 2, 0});  // after the first step
  CHECK(history.rows(b)[2].cell(3) == WorkCell::kept);
  CHECK(history.rows(b)[2].cell(2) == WorkCell::read);
  CHECK(history.rows(b)[2].cell(4) == WorkCell::none);
  CHECK(history.rows(a)[1].cell(0) == WorkCell::thrown_away);
  CHECK(history.rows(RequestId{9}).empty());
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
