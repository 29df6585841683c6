// Notation: pool "free <ids in hand-out order> | used <id>x<tables that hold it>"; table "[<blocks>] <n> tokens".

#include "core/blocks/block_table.h"

#include <type_traits>
#include <utility>

#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

constexpr RequestId kAlice{0};
constexpr RequestId kBob{1};

std::vector<BlockId> blocks(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> order;
  for (const std::uint32_t id : ids) order.push_back(BlockId{id});
  return order;
}

TEST_CASE("a table takes a block only when a token has no room in the last one") {
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  BlockTable table(pool, kAlice);
  CHECK(table.show() == "[] 0 tokens");

  CHECK(table.append(0));
  CHECK(table.show() == "[] 0 tokens");
  CHECK(table.append(3));
  CHECK(table.show() == "[0] 3 tokens");
  CHECK(table.append(1));
  CHECK(table.show() == "[0] 4 tokens");
  CHECK(table.append(1));
  CHECK(table.show() == "[0,1] 5 tokens");
  CHECK(table.blocks_needed(3) == 0);
  CHECK(table.blocks_needed(4) == 1);
  CHECK(table.blocks_needed(UINT32_MAX) == 1073741824U - 1U);  // ceil((2^32 - 1 + 5) / 4) = 2^30 + 1, less 2 held
}

TEST_CASE("scenario S02: 17 tokens of block size 8 lie in blocks 7, 3 and 12") {
  NullSink sink;
  BlockPool pool(8, blocks({7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11}), sink);
  BlockTable table(pool, kAlice);
  REQUIRE(table.append(17));

  CHECK(table.show() == "[7,3,12] 17 tokens");
  CHECK(table.slot_of(0) == Slot{56});
  CHECK(table.slot_of(7) == Slot{63});
  CHECK(table.slot_of(8) == Slot{24});
  CHECK(table.slot_of(13) == Slot{29});
  CHECK(table.slot_of(16) == Slot{96});
  CHECK_THROWS_AS(table.slot_of(17), MisuseError);
}

TEST_CASE("an append that does not fit takes no block at all") {
  VectorSink sink;
  BlockPool pool(4, ascending_order(3), sink);
  BlockTable table(pool, kAlice);
  REQUIRE(table.append(5));
  const std::size_t announced = sink.events.size();

  CHECK_FALSE(table.append(8));
  CHECK_FALSE(table.append(UINT32_MAX - 5));
  CHECK_THROWS_AS(table.append(UINT32_MAX - 4), MisuseError);
  CHECK(table.show() == "[0,1] 5 tokens");
  CHECK(pool.show() == "free 2 | used 0x1 1x1");
  CHECK(sink.events.size() == announced);
}

TEST_CASE("a rollback inside the last block frees nothing; past it, the last block returns first") {
  VectorSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  BlockTable table(pool, kAlice);
  REQUIRE(table.append(15));

  table.rollback_to(13);
  CHECK(pool.show() == "free | used 0x1 1x1 2x1 3x1");
  CHECK(std::get<RolledBack>(sink.events.back()).kept_tokens == 13);

  table.rollback_to(4);
  CHECK(table.show() == "[0] 4 tokens");
  CHECK(pool.show() == "free 3 2 1 | used 0x1");
  REQUIRE(sink.events.size() == 10);  // pool, 4 allocations, 2 rollbacks, 3 releases
  CHECK(std::get<RolledBack>(sink.events[6]).kept_tokens == 4);
  CHECK(std::get<BlockReleased>(sink.events[7]).block == BlockId{3});

  table.rollback_to(4);
  CHECK(sink.events.size() == 10);
  CHECK_THROWS_AS(table.rollback_to(5), MisuseError);
  CHECK(table.show() == "[0] 4 tokens");
  table.rollback_to(0);
  CHECK(table.show() == "[] 0 tokens");
  CHECK(pool.show() == "free 3 2 1 0 | used");
}

TEST_CASE("release returns every block, last first, and a second release does nothing") {
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  BlockTable alice(pool, kAlice);
  BlockTable bob(pool, kBob);
  REQUIRE(alice.append(4));
  REQUIRE(bob.append(4));
  REQUIRE(alice.append(4));
  CHECK(alice.show() == "[0,2] 8 tokens");

  alice.release();
  CHECK(alice.show() == "[] 0 tokens");
  CHECK(pool.show() == "free 3 2 0 | used 1x1");
  alice.release();
  CHECK(pool.show() == "free 3 2 0 | used 1x1");
}

TEST_CASE("a table can be moved but not copied, so its blocks have one owner") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<BlockTable>);
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  BlockTable first(pool, kAlice);
  REQUIRE(first.append(5));

  BlockTable second(std::move(first));
  CHECK(second.show() == "[0,1] 5 tokens");
  second.release();
  CHECK(pool.show() == "free 2 3 1 0 | used");
}

}  // namespace
}  // namespace kvarium
