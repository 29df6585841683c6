// Notation: the row from left to right, "[<request> <written>/<reserved>] [free <slots>]".

#include "core/blocks/contiguous_pool.h"

#include "core/error.h"
#include "core/trace/world.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

constexpr RequestId kAlice{0};
constexpr RequestId kBob{1};
constexpr RequestId kCarol{2};

TEST_CASE("a request reserves its longest possible length, and what it does not write is wasted inside") {
  NullSink sink;
  ContiguousPool pool(16, sink);
  CHECK(pool.show() == "[free 16]");

  REQUIRE(pool.reserve(kAlice, 8));
  pool.grow(kAlice, 3);
  CHECK(pool.show() == "[A 3/8] [free 8]");
  CHECK(pool.reserved_unused_slots() == 5);
  CHECK(pool.slot_of(kAlice, 2) == Slot{2});

  REQUIRE(pool.reserve(kBob, 8));
  pool.grow(kBob, 1);
  CHECK(pool.show() == "[A 3/8] [B 1/8]");
  CHECK(pool.slot_of(kBob, 0) == Slot{8});
  CHECK(pool.free_slots() == 0);
  CHECK(pool.reserved_unused_slots() == 12);

  CHECK_FALSE(pool.reserve(kCarol, 1));
  CHECK(pool.show() == "[A 3/8] [B 1/8]");
}

TEST_CASE("8 slots are free, yet a request of 8 finds no place: they lie in two holes") {
  NullSink sink;
  ContiguousPool pool(12, sink);
  REQUIRE(pool.reserve(kAlice, 4));
  REQUIRE(pool.reserve(kBob, 4));
  REQUIRE(pool.reserve(kCarol, 4));
  pool.release(kAlice);
  pool.release(kCarol);
  CHECK(pool.show() == "[free 4] [B 0/4] [free 4]");

  CHECK(pool.free_slots() == 8);
  CHECK(pool.largest_hole() == 4);
  CHECK(pool.scattered_free_slots() == 4);
  CHECK_FALSE(pool.reserve(kAlice, 8));
  CHECK(pool.show() == "[free 4] [B 0/4] [free 4]");
}

TEST_CASE("first fit takes the leftmost hole that is large enough, and holes join when what lay between leaves") {
  NullSink sink;
  ContiguousPool pool(12, sink);
  REQUIRE(pool.reserve(kAlice, 2));
  REQUIRE(pool.reserve(kBob, 2));
  pool.release(kAlice);
  REQUIRE(pool.reserve(kCarol, 3));
  CHECK(pool.show() == "[free 2] [B 0/2] [C 0/3] [free 5]");
  REQUIRE(pool.reserve(kAlice, 1));
  CHECK(pool.show() == "[A 0/1] [free 1] [B 0/2] [C 0/3] [free 5]");

  pool.release(kBob);
  CHECK(pool.show() == "[A 0/1] [free 3] [C 0/3] [free 5]");
  pool.release(kCarol);
  pool.release(kAlice);
  CHECK(pool.show() == "[free 12]");
}

TEST_CASE("misuse of a contiguous pool is refused and changes nothing") {
  VectorSink sink;
  ContiguousPool pool(8, sink);
  REQUIRE(pool.reserve(kAlice, 4));
  pool.grow(kAlice, 3);
  REQUIRE(pool.reserve(kBob, 2));
  pool.release(kBob);
  const std::string before = pool.show();
  const std::size_t announced = sink.events.size();

  CHECK_THROWS_WITH(pool.release(kBob), "request B has no reservation");
  CHECK_THROWS_WITH(pool.reserve(kAlice, 1), "request A has a reservation already");
  CHECK_THROWS_AS(pool.reserve(kBob, 0), MisuseError);
  CHECK_THROWS_WITH(pool.grow(kAlice, 2), "request A reserved 4 slots and wrote 3: there is no room for 2 more");
  CHECK_THROWS_AS(pool.grow(kAlice, UINT32_MAX), MisuseError);
  CHECK_THROWS_AS(pool.grow(kCarol, 1), MisuseError);
  CHECK_THROWS_AS(pool.slot_of(kAlice, 3), MisuseError);

  CHECK(pool.show() == before);
  CHECK(sink.events.size() == announced);
  CHECK_THROWS_AS(ContiguousPool(0, sink), InputError);
}

TEST_CASE("the world folded from a contiguous pool's events knows every region") {
  VectorSink sink;
  ContiguousPool pool(8, sink);
  REQUIRE(pool.reserve(kAlice, 4));
  REQUIRE(pool.reserve(kBob, 2));
  pool.release(kAlice);

  World world;
  fold(world, RequestArrived{kAlice, {}, 4});
  fold(world, RequestArrived{kBob, {}, 2});
  for (const Event& event : sink.events) fold(world, event);
  CHECK(world.arena_slots == 8);
  CHECK(world.request(kAlice).region == std::nullopt);
  CHECK(world.request(kBob).region == Region{4, 2});
}

}  // namespace
}  // namespace kvarium
