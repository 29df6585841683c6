// Mooncake's synthetic trace. The expected numbers were computed by another program, in another language, from the
// rules of core/replay/replay.h; they are not those of the paper, which does not define its ratio.

#include <map>
#include <string>

#include "core/eviction/policies.h"
#include "core/replay/replay.h"
#include "tests/core/replay/trace_files.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::synthetic_trace;
using kvarium_test::synthetic_trace_path;

constexpr std::uint64_t kUnlimited = UINT64_MAX;

ReplayResult run(const RequestTrace& trace, std::string_view policy, std::uint64_t capacity) {
  return replay(trace, *find_eviction_policy(policy).make(), capacity, {}, CancelToken()).value();
}

/// capacity -> hit blocks by lru, lfu, length-aware
using Table = std::map<std::uint64_t, std::vector<std::uint64_t>>;

void check(const RequestTrace& trace, const Table& table) {
  const std::vector<std::string> policies{"lru", "lfu", "length-aware"};
  for (const auto& [capacity, expected] : table) {
    for (std::size_t i = 0; i < policies.size(); ++i) {
      INFO(policies[i] << " at " << capacity);
      CHECK(run(trace, policies[i], capacity).hit_blocks == expected[i]);
    }
  }
}

void skip() { WARN("SKIPPED: " << synthetic_trace_path().string() << " is missing; set KVARIUM_SHARED_DATA"); }

TEST_CASE("the synthetic trace gives the known hits with each policy and capacity") {
  const auto trace = synthetic_trace();
  if (!trace) return skip();
  CHECK(trace->requests.size() == 3993);
  CHECK(trace->block_references == 121'877);
  CHECK(trace->distinct_blocks == 43'924);
  CHECK(trace->requests.back().arrival_ms == 1'022'025);
  check(*trace, {{1'000, {10'252, 5'099, 2'323}},
                 {10'000, {51'669, 43'698, 22'736}},
                 {30'000, {76'077, 76'290, 61'762}},
                 {50'000, {77'953, 77'953, 77'953}},
                 {100'000, {77'953, 77'953, 77'953}},
                 {kUnlimited, {77'953, 77'953, 77'953}}});
  const ReplayResult all = run(*trace, "lru", kUnlimited);
  CHECK(all.referenced_blocks == 121'877);
  CHECK(all.block_hit_ratio() == Approx(.6396).margin(.00005).epsilon(0));
  CHECK(all.token_hit_ratio() == Approx(.6512).margin(.00005).epsilon(0));
  CHECK(all.evictions == 0);
}

TEST_CASE("what no policy can beat: a cache without end, whoever goes first") {
  const auto trace = synthetic_trace(1'000);
  if (!trace) return skip();
  for (const NamedPolicy& named : eviction_policies()) {
    INFO(named.name);
    CHECK(run(*trace, named.name, kUnlimited).hit_blocks == 4'007);
    CHECK(run(*trace, named.name, 1'000).hit_blocks < 4'007);
  }
}

TEST_CASE("the first 100 and the first 1,000 lines of the synthetic trace give the known hits") {
  const auto hundred = synthetic_trace(100);
  if (!hundred) return skip();
  CHECK(hundred->block_references == 2'631);
  CHECK(hundred->distinct_blocks == 2'530);
  check(*hundred, {{100, {28, 28, 12}}, {1'000, {100, 100, 87}}, {kUnlimited, {101, 101, 101}}});
  const auto thousand = synthetic_trace(1'000);
  CHECK(thousand->block_references == 23'787);
  CHECK(thousand->distinct_blocks == 19'780);
  check(*thousand, {{100, {28, 56, 26}},
                    {1'000, {241, 247, 367}},
                    {5'000, {1'333, 1'498, 1'487}},
                    {kUnlimited, {4'007, 4'007, 4'007}}});
}

/// LRU when the head of a prompt counts as used first.
std::uint64_t head_first_hits(const RequestTrace& trace, std::uint64_t capacity) {
  const auto lru = find_eviction_policy("lru").make();
  std::uint64_t hits = 0;
  for (const TracedRequest& request : trace.requests) {
    bool all_before = true;
    for (std::uint32_t i = 0; i < request.blocks.size(); ++i) {
      all_before = all_before && lru->contains(request.blocks[i]);
      hits += all_before ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < request.blocks.size(); ++i) {
      if (lru->contains(request.blocks[i])) {
        lru->touch(request.blocks[i]);
      } else {
        lru->insert(request.blocks[i], i);
      }
    }
    while (lru->size() > capacity) lru->erase(lru->victim().value());
  }
  return hits;
}

TEST_CASE("on this trace it matters little that the tail goes first: that must not be promised") {
  const auto trace = synthetic_trace();
  if (!trace) return skip();
  CHECK(head_first_hits(*trace, 1'000) == 10'050);
  CHECK(head_first_hits(*trace, 10'000) == 51'614);
  CHECK(head_first_hits(*trace, 30'000) == 76'077);
}

}  // namespace
}  // namespace kvarium
