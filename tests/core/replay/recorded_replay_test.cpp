// A replay as a recording: the same numbers as without events, and no invariant of the World broken.

#include "core/replay/recorded_replay.h"

#include <limits>
#include <set>

#include "core/error.h"
#include "core/eviction/policies.h"
#include "core/replay/made_up_trace.h"
#include "core/trace/describe.h"
#include "core/trace/event_fields.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "tests/core/replay/trace_files.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::contains;

ReplayResult plain(const RequestTrace& trace, const NamedPolicy& policy, std::uint64_t capacity) {
  return replay(trace, *policy.make(), capacity, {}, CancelToken()).value();
}

ReplayResult recorded(const RequestTrace& trace, const NamedPolicy& policy, std::uint64_t capacity, EventSink& sink) {
  return record_replay(trace, *policy.make(), capacity, sink, {}, CancelToken()).value();
}

/// Folds all events; looks at the invariants after each `every`-th.
World checked(const std::vector<Event>& events, std::size_t every) {
  World world;
  for (std::size_t i = 0; i < events.size(); ++i) {
    fold(world, events[i]);
    if (i % every != 0) continue;
    const std::vector<std::string> wrong = violations(world);
    INFO("event " << i << ": " << (wrong.empty() ? "" : wrong.front()));
    REQUIRE(wrong.empty());
  }
  REQUIRE(violations(world).empty());
  return world;
}

void check_all_policies(const RequestTrace& trace, const std::vector<std::uint64_t>& capacities, std::size_t every) {
  for (const NamedPolicy& policy : eviction_policies()) {
    for (const std::uint64_t capacity : capacities) {
      INFO(policy.name << " at " << capacity);
      VectorSink sink;
      const ReplayResult result = recorded(trace, policy, capacity, sink);
      CHECK(result == plain(trace, policy, capacity));
      const World world = checked(sink.events, every);
      CHECK(world.prefix.hit_tokens == result.hit_blocks);
      CHECK(world.prefix.queried_tokens == result.referenced_blocks);
      CHECK(world.evicted_blocks == result.evictions);
      std::uint64_t cached = 0;
      for (const BlockState& block : world.blocks) cached += block.hash ? 1 : 0;
      CHECK(cached == result.cached_blocks);
      CHECK(world.free_blocks.size() == world.blocks.size());
    }
  }
}

TEST_CASE("a recording has the hits and evictions of the replay, whatever the policy and the capacity") {
  check_all_policies(kvarium_test::hand_made_trace(), {1, 2, 3, 4, 6, 9, UINT64_MAX}, 1);
}

TEST_CASE("so has one of invented traffic") { check_all_policies(made_up_trace(60, 7), {1, 20, 80, 10'000}, 11); }

TEST_CASE("so has one of the synthetic trace's first requests") {
  const auto trace = kvarium_test::synthetic_trace(100);
  if (!trace) {
    WARN("skipped: mooncake_synthetic_trace.jsonl is missing; set KVARIUM_SHARED_DATA");
    return;
  }
  check_all_policies(*trace, {100, 1'000}, 997);
}

TEST_CASE("each request is a step; a victim goes to the head of the free queue, wherever it stood") {
  // Blocks 0 and 1, then 0 and 2, in a cache of 2: block 1 goes, being less recently used than the head.
  const RequestTrace trace =
      kvarium_test::read_text(R"({"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [0, 1]})"
                              "\n"
                              R"({"timestamp": 5, "input_length": 1024, "output_length": 1, "hash_ids": [0, 2]})");
  VectorSink sink;
  recorded(trace, find_eviction_policy("lru"), 2, sink);
  std::string names;
  for (const Event& event : sink.events) {
    names += std::visit([](const auto& e) { return Fields<std::decay_t<decltype(e)>>::kName; }, event);
    names += " ";
  }
  CHECK(names ==
        "ModelDescribed PoolCreated Said RequestArrived StepStarted RequestAdmitted PrefixMatched BlockAllocated "
        "BlockAllocated KvComputed KvRead BlockCached BlockCached BlockReleased BlockReleased RequestFinished "
        "TimePassed RequestArrived StepStarted RequestAdmitted BlockReused PrefixMatched BlockAllocated KvComputed "
        "KvRead BlockCached BlockReleased BlockReleased BlockEvicted RequestFinished ");
  const World world = checked(sink.events, 1);
  CHECK(world.free_blocks.order() == std::vector<BlockId>{BlockId{1}, BlockId{3}, BlockId{2}, BlockId{0}});
  CHECK(world.nanoseconds == 5'000'000);
}

TEST_CASE("the recording says what a token stands for") {
  Trace trace;
  recorded(kvarium_test::hand_made_trace(), find_eviction_policy("lru"), 4, trace);
  CHECK(trace.newest().model.name == "none: each token stands for 512 tokens of a trace");
  REQUIRE(trace.newest().said);
  CHECK_THAT(trace.newest().said->text, contains("One token here stands for a whole block of 512 tokens"));
  CHECK_THAT(text_twin(trace.newest()), contains("model none: each token stands for 512 tokens"));
  CHECK(describe(trace[0], World()) == "The model is none: each token stands for 512 tokens of a trace.");
}

TEST_CASE("a recording of invented traffic says that it is invented") {
  Trace trace;
  recorded(made_up_trace(3, 7), find_eviction_policy("lru"), 4, trace);
  CHECK_THAT(trace.newest().model.name, contains("of an invented trace"));
  CHECK_THAT(trace.newest().said->text, contains("no server ever saw it"));
}

TEST_CASE("the first requests of a trace are a trace") {
  const RequestTrace all = made_up_trace(50, 7), some = first_requests(all, 20);
  CHECK(some.requests.size() == 20);
  std::set<BlockId> distinct;
  std::uint64_t references = 0;
  for (const TracedRequest& request : some.requests) {
    references += request.blocks.size();
    distinct.insert(request.blocks.begin(), request.blocks.end());
  }
  CHECK(some.block_references == references);
  CHECK(some.distinct_blocks == distinct.size());
  CHECK(first_requests(all, 99).block_references == all.block_references);
}

TEST_CASE("a recording refuses what a replay refuses, and can be cancelled") {
  const RequestTrace trace = kvarium_test::hand_made_trace();
  NullSink sink;
  const NamedPolicy& lru = find_eviction_policy("lru");
  CHECK_THROWS_WITH(recorded(trace, lru, 0, sink), contains("capacity 0"));
  CHECK_THROWS_AS(recorded(RequestTrace{}, lru, 1, sink), InputError);
  CancelToken cancel;
  cancel.cancel();
  CHECK_FALSE(record_replay(trace, *lru.make(), 4, sink, {}, cancel));
}

TEST_CASE("an arrival is told in nanoseconds, and one that does not fit in 64 bits of them is refused") {
  const auto ns = [](double ms) {
    TracedRequest request;
    request.arrival_ms = ms;
    return arrival_ns(request);
  };
  CHECK(ns(0) == 0);
  CHECK(ns(27.5) == 27'500'000);
  CHECK(ns(1e13) == 10'000'000'000'000'000'000U);
  for (const double wrong : {-1.0, 1.0001e13, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    INFO(wrong);
    CHECK_THROWS_AS(ns(wrong), InputError);
  }
  RequestTrace trace = kvarium_test::hand_made_trace();
  trace.requests.back().arrival_ms = 9e15;  // within 2^53 ms, and 500 times 2^64 ns
  VectorSink sink;
  CHECK_THROWS_AS(recorded(trace, eviction_policies()[0], 4, sink), InputError);
}

TEST_CASE("invented traffic is a trace like one from a file, and the same every time") {
  const RequestTrace trace = made_up_trace(300, 7);
  CHECK(trace.requests.size() == 300);
  CHECK(trace.block_size == 512);
  std::set<BlockId> distinct;
  std::uint64_t references = 0;
  double last = 0;
  for (const TracedRequest& request : trace.requests) {
    CHECK(request.blocks.size() == (request.input_tokens + 511) / 512);
    CHECK(request.arrival_ms >= last);
    last = request.arrival_ms;
    references += request.blocks.size();
    distinct.insert(request.blocks.begin(), request.blocks.end());
  }
  CHECK(references == trace.block_references);
  CHECK(distinct.size() == trace.distinct_blocks);
  CHECK(*distinct.rbegin() == BlockId{static_cast<std::uint32_t>(trace.distinct_blocks - 1)});
  CHECK(made_up_trace(300, 7).requests.back().blocks == trace.requests.back().blocks);
  CHECK(made_up_trace(300, 8).block_references != trace.block_references);
  CHECK_THROWS_AS(made_up_trace(0, 7), InputError);
}

}  // namespace
}  // namespace kvarium
