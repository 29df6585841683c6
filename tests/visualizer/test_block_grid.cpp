#include "tests/support/catch.h"
#include "visualizer/layout/block_grid.h"

using namespace kvarium::ui::layout;

namespace {

const Rect kPool{10, 20, 800, 348};

}  // namespace

TEST_CASE("A small pool shows a cell for each token, wide enough to read") {
  const BlockGrid grid = block_grid(16, 8, kPool, 1);
  REQUIRE(grid.detail == Detail::tokens);
  const Rect cell = grid.token_rect(3, 5);
  CHECK(cell.width >= 30);
  CHECK(cell.height >= 14);
  CHECK(overlap(cell, grid.block_rect(3)));
  CHECK_FALSE(overlap(cell, grid.token_rect(3, 4)));
}

TEST_CASE("Larger pools show less of each block, and always all blocks") {
  CHECK(block_grid(32, 8, kPool, 1).detail == Detail::tokens);
  CHECK(block_grid(33, 8, kPool, 1).detail == Detail::blocks);
  CHECK(block_grid(396, 16, kPool, 1).detail == Detail::blocks);
  CHECK(block_grid(1000, 16, kPool, 1).detail == Detail::cells);
  CHECK(block_grid(17400, 16, kPool, 1).cell_width == 4);
  CHECK(block_grid(69600, 16, kPool, 1).cell_width == 2);
  CHECK(block_grid(69601, 16, kPool, 1).detail == Detail::aggregated);
  for (const std::uint32_t blocks : {1U, 7U, 32U, 33U, 396U, 4350U, 17400U, 69600U, 1000000U}) {
    const BlockGrid grid = block_grid(blocks, 16, kPool, 1);
    CAPTURE(blocks);
    CHECK(std::uint64_t{grid.columns} * grid.rows * grid.blocks_per_cell >= blocks);
    CHECK(grid.block_rect(blocks - 1).bottom() <= kPool.bottom() + 0.5F);
    CHECK(grid.block_rect(blocks - 1).right() <= kPool.right() + 0.5F);
  }
}

TEST_CASE("A point leads back to the block and slot that is drawn there") {
  const BlockGrid tokens = block_grid(16, 8, kPool, 1);
  for (std::uint32_t block = 0; block < 16; ++block) {
    for (std::uint32_t offset = 0; offset < 8; ++offset) {
      CHECK(tokens.hit(tokens.token_rect(block, offset).centre()) == BlockGrid::Hit{block, offset});
    }
  }
  const BlockGrid cells = block_grid(17400, 16, kPool, 1);
  CHECK(cells.hit(cells.block_rect(12345).centre()) == BlockGrid::Hit{12345, std::nullopt});
  CHECK_FALSE(cells.hit({0, 0}));
  CHECK_FALSE(tokens.hit({tokens.block_rect(0).right() + 1, tokens.block_rect(0).y}));  // in the gap
}

TEST_CASE("Huge blocks and no blocks are drawn without trouble") {
  CHECK(block_grid(2, 784, kPool, 1).detail == Detail::tokens);
  CHECK(block_grid(32, 784, kPool, 1).detail == Detail::blocks);
  CHECK(block_grid(0, 8, kPool, 1).block_rect(0).empty());
  CHECK_FALSE(block_grid(4, 8, {}, 1).hit({1, 1}));
}

TEST_CASE("At scale 2 cells are twice as large") {
  const BlockGrid one = block_grid(1000, 16, kPool, 1);
  const BlockGrid two = block_grid(1000, 16, kPool.scaled(2), 2);
  CHECK(two.cell_width == 2 * one.cell_width);
}
