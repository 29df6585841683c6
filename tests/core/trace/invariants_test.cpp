#include "core/trace/invariants.h"

#include <set>

#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
using Sentences = std::vector<std::string>;

/// prefilled_world(): block size 4; A holds [7,3] with 6 tokens; free 0 1 2 4 5 6.
struct Broken {
  World world = prefilled_world();
  RequestState& request() { return world.requests[0].edit(); }
};

/// A second request that runs and holds nothing.
World with_b(World world) {
  fold_all(world, {RequestArrived{RequestId{1}, tokens(4), 1}, RequestAdmitted{RequestId{1}}});
  return world;
}

}  // namespace

TEST_CASE("a sound world violates nothing") {
  CHECK(violations(World{}) == Sentences{});
  CHECK(violations(prefilled_world()) == Sentences{});
  CHECK(invariants_that_hold(prefilled_world()) == kInvariantCount);
}

TEST_CASE("every invariant has a name of its own") {
  const std::set<std::string_view> names(invariant_names().begin(), invariant_names().end());
  CHECK(names.size() == kInvariantCount);
}

TEST_CASE("a block that is neither free nor held is missed") {
  Broken b;
  b.world.free_blocks.remove(BlockId{4});
  CHECK(violations(b.world) == Sentences{"5 free + 2 held blocks are not the pool's 8."});
  CHECK(invariants_that_hold(b.world) == kInvariantCount - 1);
}

TEST_CASE("a held block must not be in the free queue") {
  Broken b;
  b.world.free_blocks.remove(BlockId{4});
  b.world.free_blocks.push_back(BlockId{7});
  CHECK(violations(b.world) == Sentences{"Block 7 has ref count 1, yet it is in the free queue."});
}

TEST_CASE("the free queue must not name a block that the pool lacks") {
  Broken b;
  b.world.free_blocks = FreeQueue(blocks({0, 1, 2, 4, 8, 5, 3, 6, 7}));
  b.world.free_blocks.remove(BlockId{7});
  b.world.free_blocks.remove(BlockId{3});
  b.world.free_blocks.remove(BlockId{6});
  CHECK(violations(b.world) == Sentences{"The free queue names block 8 of a pool of 8."});
}

TEST_CASE("a table must not name a block that the pool lacks") {
  Broken b;
  b.request().table.push_back(BlockId{9});
  CHECK(violations(b.world) == Sentences{"The table of request A names block 9 of a pool of 8."});
}

TEST_CASE("a table must not name a block twice") {
  Broken b;
  b.request().table.push_back(BlockId{7});
  b.world.blocks[7].ref_count = 2;
  CHECK(violations(b.world) == Sentences{"The table of request A names block 7 twice."});
}

TEST_CASE("a ref count must be the number of table entries") {
  Broken b;
  b.world.blocks[3].ref_count = 2;
  CHECK(violations(b.world) == Sentences{"Block 3 has ref count 2, but 1 table entries name it."});
}

TEST_CASE("a block must not be written beyond its size") {
  Broken b;
  b.world.blocks[3].written = 5;
  CHECK(violations(b.world) == Sentences{"5 slots of block 3 are written, and a block has 4."});
}

TEST_CASE("a block must not have been touched in a later step") {
  Broken b;
  b.world.blocks[3].written_step = 2;
  CHECK(violations(b.world) == Sentences{"Block 3 was touched in step 2, and this is step 1."});
}

TEST_CASE("tokens that count as cached must have been written") {
  Broken b;
  b.world.blocks[3].written = 1;
  CHECK(violations(b.world) == Sentences{"Request A counts on 2 tokens in block 3, and 1 were written."});
}

TEST_CASE("a block that can be found by its hash must be full") {
  Broken b;
  b.world.blocks[3].hash = BlockHash{1, 2};
  CHECK(violations(b.world) == Sentences{"Block 3 can be found by its hash, yet only 2 of its 4 slots are written."});
  b.world.blocks[3].hash.reset();
  b.world.blocks[7].hash = BlockHash{1, 2};
  CHECK(violations(b.world) == Sentences{});
}

TEST_CASE("a request must not generate more than was asked for") {
  Broken b;
  b.request().max_new_tokens = 1;
  b.request().tokens = tokens(8);
  CHECK(violations(b.world) == Sentences{"Request A has 8 tokens, with a prompt of 6 and at most 1 new ones."});
}

TEST_CASE("tokens that are computed must exist") {
  Broken b;
  b.world.blocks[3].written = 4;
  b.request().computed_tokens = 7;
  CHECK(violations(b.world) == Sentences{"Request A has K and V of 7 tokens, and only 6 tokens."});
}

TEST_CASE("tokens that are computed must have slots") {
  World world = with_b(prefilled_world());
  world.requests[1].edit().computed_tokens = 3;
  CHECK(violations(world) == Sentences{"Request B has K and V of 3 tokens in 0 slots."});
}

TEST_CASE("a step must compute and read only tokens that the request has") {
  Broken computed;
  computed.request().new_count = 7;
  CHECK(violations(computed.world) == Sentences{"This step reached position 6 of request A, which has 6 tokens."});
  Broken read;
  read.request().read_count = 9;
  CHECK(violations(read.world) == Sentences{"This step reached position 8 of request A, which has 6 tokens."});
}

TEST_CASE("a request that does not run must hold nothing") {
  for (const Event& event : std::vector<Event>{RequestFinished{kA, FinishReason::max_tokens}, RequestAborted{kA}}) {
    World world = prefilled_world();
    fold(world, event);
    CHECK(violations(world) == Sentences{"Request A does not run, yet it holds 8 slots."});
  }
  World waiting = prefilled_world();
  fold(waiting, RequestPreempted{kA, 6});
  CHECK(violations(waiting) == Sentences{"Request A does not run, yet it holds 8 slots."});
}

TEST_CASE("a running request must have been admitted after it arrived") {
  Broken b;
  b.request().arrived_step = 1;
  b.request().admitted_step = 0;
  CHECK(violations(b.world) ==
        Sentences{"Request A arrived in step 1, was admitted in step 0 and ended in step 0; this is step 1."});
}

TEST_CASE("a region must lie inside the contiguous pool") {
  World world = with_b(prefilled_world());
  world.arena_slots = 10;
  world.requests[1].edit().region = Region{6, 5};
  CHECK(violations(world) == Sentences{"The region of request B, 5 slots from 6, leaves the pool of 10."});
}

TEST_CASE("regions must not overlap") {
  const RequestId b{1}, c{2};
  World world = with_b(prefilled_world());
  fold_all(world, {RequestArrived{c, tokens(1), 1}, RequestAdmitted{c}, ArenaCreated{10}, RegionReserved{b, 5, 5},
                   RegionReserved{c, 0, 5}});
  CHECK(violations(world) == Sentences{});
  world.requests[2].edit().region = Region{0, 6};
  CHECK(violations(world) == Sentences{"The regions of requests C and B overlap."});
}

TEST_CASE("the work of all must be the sum of each one's") {
  Broken b;
  b.world.work.kv_projections = 6;
  CHECK(violations(b.world) ==
        Sentences{"The work of all requests (6 K/V projections, 0 score products, 0 bytes read, 0 FLOP) is not the sum "
                  "of each one's (0 K/V projections, 0 score products, 0 bytes read, 0 FLOP)."});
}

TEST_CASE("the list of violations is cut before it drowns the reader") {
  World world = world_of({PoolCreated{4, [] {
                                        std::vector<BlockId> order;
                                        for (std::uint32_t id = 0; id < 1000; ++id) order.push_back(BlockId{id});
                                        return order;
                                      }()}});
  for (BlockState& block : world.blocks) block.written = 9;
  CHECK(violations(world).size() == kMostViolations);
}
