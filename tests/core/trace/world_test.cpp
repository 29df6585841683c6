#include "core/trace/world.h"

#include <set>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/mark.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0}, kB{1};

/// Folding it is refused, and the world stays as it was.
void check_refused(const World& before, const Event& event, const std::string& why) {
  World world = before;
  CHECK_THROWS_WITH(fold(world, event), contains(why));
  CHECK(world == before);
}

}  // namespace

TEST_CASE("the world of a request that is prefilled into two blocks") {
  World world = world_of({PoolCreated{4, blocks({7, 3, 0, 1, 2, 4, 5, 6})}, RequestArrived{kA, tokens(6), 3}});
  CHECK(world.request(kA).status == RequestStatus::waiting);

  fold_all(world, {StepStarted{1}, RequestAdmitted{kA}, BlockAllocated{kA, BlockId{7}}, BlockAllocated{kA, BlockId{3}},
                   KvComputed{kA, 0, 6, Phase::prefill, true}, KvRead{kA, 6}});
  CHECK(world.request(kA).status == RequestStatus::running);
  CHECK(show_table(world, kA) == "[7,3] 6 tokens");
  CHECK(show_pool(world) == "free 0 1 2 4 5 6 | used 3x1 7x1");
  CHECK(filled_slots(world, world.request(kA), 0) == 4);
  CHECK(filled_slots(world, world.request(kA), 1) == 2);
  CHECK(filled_slots(world, world.request(kA), 2) == 0);
  CHECK(world.blocks[3].written == 2);
  CHECK(world.request(kA).new_count == 6);
  CHECK(world.request(kA).read_count == 6);
}

TEST_CASE("a new step forgets what the last one computed and read, and nothing else") {
  World world = prefilled_world();
  fold(world, StepStarted{2});
  CHECK(world.request(kA).new_count == 0);
  CHECK(world.request(kA).read_count == 0);
  CHECK(world.step_requests.empty());
  CHECK(world.request(kA).computed_tokens == 6);
  CHECK(world.request(kA).last_read_step == 1);
}

TEST_CASE("two chunks that follow each other in one step count as one") {
  World world = prefilled_world();
  fold(world, StepStarted{2});
  fold_all(world, {TokenSampled{kA, 6, TokenId{1}}, TokenSampled{kA, 7, TokenId{1}},
                   KvComputed{kA, 6, 1, Phase::decode, true}, KvComputed{kA, 7, 1, Phase::decode, true}});
  CHECK(world.request(kA).new_first == 6);
  CHECK(world.request(kA).new_count == 2);
}

TEST_CASE("a block was last read when a request that holds it now read it") {
  World world = prefilled_world();
  CHECK(read_steps(world) == std::vector<std::uint64_t>{0, 0, 0, 1, 0, 0, 0, 1});
  fold_all(world, {StepStarted{2}, KvRead{kA, 4}});
  CHECK(read_steps(world) == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0, 0, 2});
}

TEST_CASE("releasing a block forgets the tokens that were in it") {
  World world = prefilled_world();
  fold(world, BlockReleased{kA, BlockId{3}, 0});
  CHECK(show_table(world, kA) == "[7] 4 tokens");
  CHECK(show_pool(world) == "free 0 1 2 4 5 6 3 | used 7x1");
}

TEST_CASE("a block that is free and cached is found again: it leaves the middle of the queue with what is in it") {
  World world = prefilled_world();
  const BlockHash hash{1, 2};
  fold_all(world, {BlockCached{kA, BlockId{7}, 0, hash}, BlockReleased{kA, BlockId{3}, 0, QueuePlace::head},
                   BlockReleased{kA, BlockId{7}, 0}, RequestFinished{kA, FinishReason::max_tokens}});
  CHECK(show_pool(world) == "free 3 0 1 2 4 5 6 7 | used");
  fold_all(world, {RequestArrived{kB, tokens(6), 1}, RequestAdmitted{kB}, BlockReused{kB, BlockId{7}},
                   PrefixMatched{kB, 6, 4}});
  CHECK(show_pool(world) == "free 3 0 1 2 4 5 6 | used 7x1");
  CHECK(show_table(world, kB) == "[7] 4 tokens");
  CHECK(world.prefix == PrefixCounts{6, 4});
  CHECK(violations(world) == std::vector<std::string>{});

  fold_all(world, {BlockReleased{kB, BlockId{7}, 0, QueuePlace::behind_last_head}, BlockEvicted{kB, BlockId{7}, hash}});
  CHECK(show_pool(world) == "free 7 3 0 1 2 4 5 6 | used");  // what is evicted is handed out next
  CHECK(world.blocks[7].hash == std::nullopt);
}

TEST_CASE("a block that is handed out and still found by its old hash is reported") {
  World world = prefilled_world();
  fold_all(world, {BlockCached{kA, BlockId{7}, 0, {1, 2}}, BlockReleased{kA, BlockId{3}, 0},
                   BlockReleased{kA, BlockId{7}, 0, QueuePlace::head}, BlockAllocated{kA, BlockId{7}}});
  CHECK(violations(world) ==
        std::vector<std::string>{"Block 7 can be found by its hash, yet only 0 of its 4 slots are written."});
}

TEST_CASE("an event that cannot follow is refused and changes nothing") {
  const World world = prefilled_world();
  check_refused(world, PoolCreated{0, blocks({0})}, "block size 0");
  check_refused(world, PoolCreated{4, blocks({0})}, "while blocks of the old are held");
  check_refused(world, RequestArrived{kA, tokens(1), 1}, "request ids must come in order");
  check_refused(world, RequestArrived{RequestId{7}, tokens(1), 1}, "request ids must come in order");
  check_refused(world, RequestAdmitted{kB}, "there is no request 1");
  check_refused(world, RequestAdmitted{kA}, "does not wait");
  check_refused(world, BlockAllocated{kA, BlockId{1}}, "block 1 is not at the head of the free queue");
  check_refused(world, BlockAllocated{kA, BlockId{8}}, "there is no block 8");
  check_refused(world, BlockShared{kA, BlockId{0}, 1}, "ref count");
  check_refused(world, BlockShared{kA, BlockId{7}, 0}, "ref count");
  check_refused(world, BlockReleased{kA, BlockId{3}, UINT32_MAX}, "ref count");
  check_refused(world, BlockReleased{kA, BlockId{3}, 0, QueuePlace::behind_last_head}, "at the head of the free queue");
  check_refused(world, BlockReused{kA, BlockId{3}}, "block 3 is not in the free queue");
  check_refused(world, BlockReused{kA, BlockId{8}}, "there is no block 8");
  check_refused(world, BlockCached{kA, BlockId{3}, 0, {}}, "not entry 0 of the request's table");
  check_refused(world, BlockCached{kA, BlockId{3}, 2, {}}, "not entry 2 of the request's table");
  check_refused(world, BlockEvicted{kA, BlockId{3}, {}}, "the evicted block's hash");
  check_refused(world, PrefixMatched{kA, 9, 9}, "more tokens were found than have a slot");
  check_refused(world, PrefixMatched{kA, 3, 4}, "more tokens were found than have a slot");
  check_refused(world, RegionReserved{kA, 0, 1}, "outside the contiguous pool");
  check_refused(world, RegionReleased{kA}, "has no region");
  check_refused(world, StepStarted{3}, "one after another");
  check_refused(world, StepStarted{0}, "one after another");
  check_refused(world, KvComputed{kA, 0, 0, Phase::decode, true}, "no position");
  check_refused(world, KvComputed{kA, UINT32_MAX, UINT32_MAX, Phase::decode, false}, "beyond 4,294,967,295");
  check_refused(world, TokenSampled{kA, 7, TokenId{0}}, "position");
  check_refused(world, RolledBack{kA, 9}, "more tokens than have a slot");

  World ended = world;
  fold(ended, RequestFinished{kA, FinishReason::max_tokens});
  check_refused(ended, RequestFinished{kA, FinishReason::max_tokens}, "does not run");
  check_refused(ended, RequestPreempted{kA, 6}, "does not run");
  check_refused(ended, RequestAborted{kA}, "has ended already");
}

TEST_CASE("a new pool is refused while a table names a block of the old one, even one that was wrongly freed") {
  World world;
  fold(world, PoolCreated{4, {BlockId{0}}});
  for (const std::uint32_t id : {0U, 1U}) fold(world, RequestArrived{RequestId{id}, {TokenId{1}}, 4});
  fold(world, StepStarted{1});
  fold(world, BlockAllocated{RequestId{0}, BlockId{0}});
  fold(world, BlockReleased{RequestId{1}, BlockId{0}, 0});
  CHECK_THROWS_AS(fold(world, PoolCreated{4, {}}), MisuseError);
}

TEST_CASE("a trace has one block size, also where its first pool is gone") {
  const World world = world_of({PoolCreated{4, blocks({0, 1})}});
  check_refused(world, PoolCreated{16, blocks({0})}, "another block size");
  CHECK(world_of({PoolCreated{4, blocks({0, 1})}, PoolCreated{4, blocks({0})}}).blocks.size() == 1);
}

TEST_CASE("a request is kept in blocks or in a region, never in both") {
  World paged = prefilled_world();
  fold(paged, ArenaCreated{8});
  check_refused(paged, RegionReserved{kA, 0, 2}, "has blocks already");

  const World world = world_of({PoolCreated{4, blocks({0, 1})}, ArenaCreated{8}, RequestArrived{kA, tokens(9), 1},
                                RequestAdmitted{kA}, RegionReserved{kA, 0, 8}});
  check_refused(world, BlockAllocated{kA, BlockId{0}}, "takes no blocks");
  check_refused(world, BlockShared{kA, BlockId{0}, 1}, "takes no blocks");
  check_refused(world, BlockReused{kA, BlockId{0}}, "takes no blocks");
  check_refused(world, PrefixMatched{kA, 8, 4}, "more tokens were found than have a slot");
  check_refused(world, RequestForked{kB, kA}, "nobody can share");
}

TEST_CASE("a small file cannot ask for more tokens than memory holds") {
  const RequestId a{0};
  World world;
  fold(world, PoolCreated{4, blocks({0})});
  fold(world, RequestArrived{a, tokens(1 << 20), 3, "0123456789"});
  fold_all(world, {RequestAdmitted{a}, BlockAllocated{a, BlockId{0}}});
  CHECK(world.size == 1 << 20);
  fold_all(world, {TokenSampled{a, 1 << 20, TokenId{1}}, RequestForked{kB, a}});
  CHECK(world.size == 2 * ((1 << 20) + 1) + 1 + 10);  // the fork copied the table and the scope as well
  world.size = kMostWorldSize - 2;
  check_refused(world, RequestForked{RequestId{2}, kB}, "more than 268,435,456 tokens");
  check_refused(world, RequestArrived{RequestId{2}, tokens(3), 1}, "more than 268,435,456 tokens");
  fold(world, RequestArrived{RequestId{2}, tokens(2), 1});
  check_refused(world, TokenSampled{RequestId{2}, 2, TokenId{1}}, "more than 268,435,456 tokens");
}

TEST_CASE("a block is cached once, and evicted under the hash that it has") {
  World world = prefilled_world();
  fold(world, BlockCached{kA, BlockId{7}, 0, {1, 2}});
  check_refused(world, BlockCached{kA, BlockId{7}, 0, {1, 2}}, "block 7 has a hash already");
  check_refused(world, BlockEvicted{kA, BlockId{7}, {1, 3}}, "the evicted block's hash");
  fold(world, PrefixCacheReset{});
  CHECK(world.blocks[7].hash == std::nullopt);
}

TEST_CASE("K and V are kept only where the request holds slots, and never behind a gap") {
  const World world = world_of({PoolCreated{4, blocks({0, 1, 2})}, RequestArrived{kA, tokens(9), 1},
                                RequestAdmitted{kA}, BlockAllocated{kA, BlockId{0}}});
  check_refused(world, KvComputed{kA, 0, 5, Phase::prefill, true}, "holds no slot");
  check_refused(world, KvComputed{kA, 1, 2, Phase::prefill, true}, "behind a gap");
}

TEST_CASE("sums that would overflow are refused") {
  World world = prefilled_world();
  fold_all(world, {WorkCounted{kA, {.flops = UINT64_MAX}}, StepTimed{UINT64_MAX, false}});
  check_refused(world, WorkCounted{kA, {.flops = 1}}, "64 bits");
  check_refused(world, StepTimed{1, false}, "64 bits");
}

TEST_CASE("after every event of random runs the world is sound") {
  std::set<Mark> seen;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    INFO("seed " << seed);
    VectorSink sink;
    ServingRun run({}, seed, sink);
    for (int i = 0; i < 60; ++i) run.step();
    World world;
    for (const Event& event : sink.events) {
      fold(world, event);
      seen.insert(mark_of(event));
      REQUIRE(violations(world) == std::vector<std::string>{});
    }
  }
  for (const Mark mark : {Mark::preempted, Mark::rolled_back, Mark::aborted, Mark::finished, Mark::released}) {
    CHECK(seen.contains(mark));
  }
}

TEST_CASE("after every step of random runs the world says what the live pool and tables say") {
  for (const std::uint64_t seed : {11, 12, 13}) {
    INFO("seed " << seed);
    VectorSink sink;
    ServingRun run({}, seed, sink);
    World world;
    for (int i = 0; i < 100; ++i) {
      run.step();
      for (std::size_t n = world.events; n < sink.events.size(); ++n) fold(world, sink.events[n]);
      REQUIRE(show_pool(world) == run.pool().show());
      for (const auto& live : run.running()) REQUIRE(show_table(world, live.id) == live.table.show());
    }
  }
}
