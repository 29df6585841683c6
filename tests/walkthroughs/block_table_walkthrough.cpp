// Paging, as a story to be read from top to bottom. Every line of state below is checked when the tests run.
//
// A language model keeps K and V of every token that it has seen. They need a place, a "slot", one a token. Nobody
// knows beforehand how many tokens an answer will have. Where should the slots of a request lie?
//
// Notation:
//   a row      [A 3/8] [free 8]            A wrote 3 of its 8 reserved slots; then come 8 free ones
//   a pool     free 1 2 3 | used 0x2       free blocks, the next one to be handed out first; block 0 is held twice
//   a table    [7,3,12] 17 tokens          the tokens of this request lie in block 7, then 3, then 12

#include <set>

#include "core/blocks/block_table.h"
#include "core/blocks/contiguous_pool.h"
#include "core/cost/waste.h"
#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};
constexpr RequestId kB{1};
constexpr RequestId kC{2};

/// A pool that hands out its blocks in this order.
std::vector<BlockId> in_order(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> order;
  for (const std::uint32_t id : ids) order.push_back(BlockId{id});
  return order;
}

TEST_CASE("1. Why not one row for each request? Because it must be as long as the longest possible answer") {
  NullSink nobody;
  ContiguousPool row(16, nobody);  // 16 slots of memory, and an answer may have 8 tokens

  REQUIRE(row.reserve(kA, 8));
  row.grow(kA, 3);  // but A stops after 3
  CHECK(row.show() == "[A 3/8] [free 8]");
  REQUIRE(row.reserve(kB, 8));
  row.grow(kB, 2);
  CHECK(row.show() == "[A 3/8] [B 2/8]");

  // 5 tokens are kept and the memory is full: C must wait. This is internal fragmentation, waste inside.
  CHECK_FALSE(row.reserve(kC, 8));
  CHECK(row.written_slots() == 5);
  CHECK(row.reserved_unused_slots() == 11);
}

TEST_CASE("2. Rows of different lengths leave holes that are large enough together, but not one by one") {
  NullSink nobody;
  ContiguousPool row(12, nobody);
  REQUIRE(row.reserve(kA, 4));
  REQUIRE(row.reserve(kB, 4));
  REQUIRE(row.reserve(kC, 4));
  row.release(kA);
  row.release(kC);
  CHECK(row.show() == "[free 4] [B 0/4] [free 4]");

  // 8 slots are free and 8 are wanted, in one piece. This is external fragmentation, waste between.
  CHECK(row.free_slots() == 8);
  CHECK_FALSE(row.reserve(kA, 8));
}

TEST_CASE("3. So cut the memory into small blocks of equal size, and hand them out one at a time") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);  // 4 blocks of 4 slots
  CHECK(pool.show() == "free 0 1 2 3 | used");

  BlockTable a(pool, kA);
  CHECK(a.append(2));  // the first two tokens take a block ...
  CHECK(a.show() == "[0] 2 tokens");
  CHECK(pool.show() == "free 1 2 3 | used 0x1");
  CHECK(a.append(2));  // ... the next two find room in it ...
  CHECK(a.show() == "[0] 4 tokens");
  CHECK(pool.show() == "free 1 2 3 | used 0x1");
  CHECK(a.append(1));  // ... and the fifth takes the next block.
  CHECK(a.show() == "[0,1] 5 tokens");
  CHECK(pool.show() == "free 2 3 | used 0x1 1x1");
}

TEST_CASE("4. The blocks of a request need not be neighbours: its table says where each one lies") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);
  BlockTable a(pool, kA);
  BlockTable b(pool, kB);

  CHECK(a.append(4));
  CHECK(b.append(4));
  CHECK(a.append(4));  // A's second block lies behind B's first, and nothing had to move
  CHECK(a.show() == "[0,2] 8 tokens");
  CHECK(b.show() == "[1] 4 tokens");
  CHECK(pool.show() == "free 3 | used 0x1 1x1 2x1");
}

TEST_CASE("5. Position 13 lies in slot 29: divide by the block size, look up the block, add the rest") {
  NullSink nobody;
  BlockPool pool(8, in_order({7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11}), nobody);
  BlockTable a(pool, kA);
  REQUIRE(a.append(17));
  CHECK(a.show() == "[7,3,12] 17 tokens");

  CHECK(13 / 8 == 1);                  // the token is in the table's entry 1,
  CHECK(a.blocks()[1] == BlockId{3});  // which is block 3,
  CHECK(13 % 8 == 5);                  // five places from its start,
  CHECK(a.slot_of(13) == Slot{3 * 8 + 5});
  CHECK(a.slot_of(13) == Slot{29});

  CHECK(a.slot_of(7) == Slot{63});  // the last of block 7, and its neighbour ...
  CHECK(a.slot_of(8) == Slot{24});  // ... is the first of block 3: close in the text, far apart in memory
  CHECK_THROWS_AS(a.slot_of(17), MisuseError);
}

TEST_CASE("6. Only the last block can have empty slots, so a request wastes less than one block") {
  NullSink nobody;
  BlockPool pool(8, ascending_order(3), nobody);
  BlockTable a(pool, kA);
  REQUIRE(a.append(17));

  const Waste waste = paged_waste({17}, 8);
  CHECK(waste.reserved == a.blocks().size() * pool.block_size());
  CHECK(waste.reserved == 24);
  CHECK(waste.unused() == 7);                        // the price of paging, all in block 2
  CHECK(contiguous_waste({17}, 64).unused() == 47);  // the price of a row for an answer of up to 64
}

TEST_CASE("7. Taking tokens back moves the length; a block returns only when none of its tokens is kept") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);
  BlockTable a(pool, kA);
  REQUIRE(a.append(11));
  CHECK(a.show() == "[0,1,2] 11 tokens");

  a.rollback_to(9);  // position 8 is still in block 2
  CHECK(a.show() == "[0,1,2] 9 tokens");
  CHECK(pool.show() == "free 3 | used 0x1 1x1 2x1");

  a.rollback_to(8);  // now block 2 holds nothing, and joins the end of the queue
  CHECK(a.show() == "[0,1] 8 tokens");
  CHECK(pool.show() == "free 3 2 | used 0x1 1x1");

  CHECK(a.append(1));  // the next token goes to whichever block is first in the queue, not to block 2 again
  CHECK(a.show() == "[0,1,3] 9 tokens");
  CHECK(a.slot_of(8) == Slot{12});
}

TEST_CASE("8. A request that ends returns its blocks, the last one first, and others use them at once") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(3), nobody);
  BlockTable a(pool, kA);
  BlockTable b(pool, kB);
  REQUIRE(a.append(8));
  CHECK(pool.show() == "free 2 | used 0x1 1x1");

  a.release();
  CHECK(a.show() == "[] 0 tokens");
  CHECK(pool.show() == "free 2 1 0 | used");
  CHECK(b.append(12));
  CHECK(b.show() == "[2,1,0] 12 tokens");
}

TEST_CASE("9. A full pool says no and changes nothing; who asked decides whether to wait") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(3), nobody);
  BlockTable a(pool, kA);
  BlockTable b(pool, kB);
  REQUIRE(a.append(7));
  REQUIRE(b.append(4));
  CHECK(pool.show() == "free | used 0x1 1x1 2x1");

  CHECK(a.append(1));  // A still has one empty slot in its last block
  CHECK(a.blocks_needed(1) == 1);
  CHECK_FALSE(a.append(1));
  CHECK_FALSE(b.append(100));
  CHECK(a.show() == "[0,1] 8 tokens");
  CHECK(b.show() == "[2] 4 tokens");

  b.release();  // B ends, and A can go on, in the block that was B's
  CHECK(a.append(1));
  CHECK(a.show() == "[0,1,2] 9 tokens");
}

TEST_CASE("10. Two requests with the same beginning can hold the same block: the pool counts its holders") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);
  const BlockId prompt = pool.allocate(kA).value();
  pool.share(kB, prompt);
  CHECK(pool.show() == "free 1 2 3 | used 0x2");

  pool.release(kA, prompt);  // A ends; B still needs the block
  CHECK(pool.show() == "free 1 2 3 | used 0x1");
  pool.release(kB, prompt);
  CHECK(pool.show() == "free 1 2 3 0 | used");

  // Returning it once more would let two requests write into one block: refused, and nothing changed.
  CHECK_THROWS_AS(pool.release(kB, prompt), MisuseError);
  CHECK(pool.show() == "free 1 2 3 0 | used");
}

TEST_CASE("11. With blocks the memory of the first scene serves five requests instead of two") {
  NullSink nobody;
  BlockPool pool(2, ascending_order(8), nobody);  // again 16 slots, in blocks of 2
  std::vector<BlockTable> tables;
  for (const std::uint32_t tokens : {3U, 2U, 4U, 2U, 2U}) {
    tables.emplace_back(pool, RequestId{static_cast<std::uint32_t>(tables.size())});
    REQUIRE(tables.back().append(tokens));
  }
  CHECK(tables[0].show() == "[0,1] 3 tokens");
  CHECK(tables[1].show() == "[2] 2 tokens");
  CHECK(tables[2].show() == "[3,4] 4 tokens");
  CHECK(tables[3].show() == "[5] 2 tokens");
  CHECK(tables[4].show() == "[6] 2 tokens");
  CHECK(pool.show() == "free 7 | used 0x1 1x1 2x1 3x1 4x1 5x1 6x1");

  std::set<Slot> slots;  // no two tokens share a slot
  for (const BlockTable& table : tables) {
    for (std::uint32_t position = 0; position < table.num_tokens(); ++position) slots.insert(table.slot_of(position));
  }
  CHECK(slots.size() == 3 + 2 + 4 + 2 + 2);
}

}  // namespace
}  // namespace kvarium
