// What a cache saves, worked out by hand for nine requests, and by an oracle for random ones.

#include "core/replay/replay.h"

#include <random>
#include <set>
#include <string>

#include "core/error.h"
#include "core/eviction/policies.h"
#include "tests/core/eviction/naive_policy.h"
#include "tests/core/replay/trace_files.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::contains;
using kvarium_test::hand_made_trace;
using kvarium_test::NaivePolicy;

ReplayResult run(const RequestTrace& trace, std::string_view policy, std::uint64_t capacity,
                 std::vector<std::uint64_t>* hits = nullptr) {
  const auto made = find_eviction_policy(policy).make();
  return replay(trace, *made, capacity, {}, CancelToken(),
                [&](std::uint64_t blocks) {
                  if (hits != nullptr) hits->push_back(blocks);
                })
      .value();
}

using Hits = std::vector<std::uint64_t>;

TEST_CASE("a cache without end hits all that came before, partial last blocks too") {
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "lru", UINT64_MAX, &hits);
  CHECK(hits == Hits{0, 2, 0, 3, 2, 2, 3, 0, 3});
  CHECK(result.requests == 9);
  CHECK(result.referenced_blocks == 24);
  CHECK(result.hit_blocks == 15);
  CHECK(result.input_tokens == 10'436);
  CHECK(result.hit_tokens == 1024 + 1500 + 600 + 600 + 1300 + 1500);
  CHECK(result.evictions == 0);
  CHECK(result.cached_blocks == 9);
  CHECK(result.block_hit_ratio() == Approx(15.0 / 24));
  CHECK(result.token_hit_ratio() == Approx(6524.0 / 10'436));
}

// In each comment: what is cached after each request, the next victim first.

TEST_CASE("four blocks, least recently used") {
  // 2 1 0 | 2 3 1 0 | 1 0 5 4 | 4 2 1 0 | 1 0 5 4 | 1 0 5 4 | 4 3 1 0 | 0 8 7 6 | 6 2 1 0
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "lru", 4, &hits);
  CHECK(hits == Hits{0, 2, 0, 2, 1, 2, 2, 0, 1});
  CHECK(result.hit_blocks == 10);
  CHECK(result.hit_tokens == 1024 + 1024 + 512 + 600 + 1024 + 512);
  CHECK(result.evictions == 2 + 1 + 1 + 1 + 3 + 2);
  CHECK(result.cached_blocks == 4);
}

TEST_CASE("four blocks, least frequently used: the long newcomer evicts itself") {
  // 2 1 0 | 2 3 1 0 | 5 4 1 0 | 4 2 1 0 | 5 4 1 0 | 5 4 1 0 | 5 4 1 0 | 5 4 1 0 | 5 4 1 0
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "lfu", 4, &hits);
  CHECK(hits == Hits{0, 2, 0, 2, 1, 2, 2, 0, 2});
  CHECK(result.hit_tokens == 1024 + 1024 + 512 + 600 + 1024 + 1024);
  CHECK(result.evictions == 2 + 1 + 1 + 1 + 3 + 1);
}

TEST_CASE("four blocks, length-aware: the third block of a prompt goes before the heads of others") {
  // 2 1 0 | 2 3 1 0 | 5 4 1 0 | 5 4 1 0 | 5 4 1 0 | ...: from the third request on the same four stay
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "length-aware", 4, &hits);
  CHECK(hits == Hits{0, 2, 0, 2, 2, 2, 2, 0, 2});
  CHECK(result.hit_tokens == 1024 + 1024 + 600 + 600 + 1024 + 1024);
  CHECK(result.evictions == 2 + 1 + 1 + 3 + 1);
}

TEST_CASE("four blocks, first in first out: the shared head goes although it is used") {
  // 2 1 0 | 2 1 0 3 | 0 3 5 4 | 5 4 2 1 | 5 4 2 1 | 5 4 2 1 | 2 1 3 0 | 0 8 7 6 | 7 6 2 1
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "fifo", 4, &hits);
  CHECK(hits == Hits{0, 2, 0, 1, 2, 2, 0, 0, 1});
  CHECK(result.hit_tokens == 1024 + 512 + 600 + 600 + 512);
  CHECK(result.evictions == 2 + 2 + 2 + 3 + 2);
}

TEST_CASE("four blocks, prefix depth: heads stay, also of prompts that nobody asks for again") {
  // 2 1 0 | 2 3 1 0 | 1 5 0 4 | 5 1 4 0 | 1 5 0 4 | 1 5 0 4 | 5 1 4 0 | 7 4 0 6 | 1 4 6 0
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "prefix-depth", 4, &hits);
  CHECK(hits == Hits{0, 2, 0, 2, 2, 2, 2, 0, 1});
  CHECK(result.hit_tokens == 1024 + 1024 + 600 + 600 + 1024 + 512);
  CHECK(result.evictions == 2 + 1 + 1 + 3 + 2);
}

TEST_CASE("a cache of one block keeps the head of the last prompt, and a request longer than the cache is served") {
  Hits hits;
  const ReplayResult result = run(hand_made_trace(), "lru", 1, &hits);
  CHECK(hits == Hits{0, 1, 0, 0, 0, 1, 0, 0, 0});
  CHECK(result.cached_blocks == 1);
}

std::uint32_t below(std::uint32_t bound, std::mt19937& random) { return static_cast<std::uint32_t>(random() % bound); }

/// Prompts of a random tree: each begins as a random earlier one did. Ids in order of appearance.
RequestTrace random_trace(std::mt19937& random) {
  RequestTrace trace;
  trace.block_size = 4;
  std::uint32_t next = 0;
  for (int i = 0; i < 80; ++i) {
    TracedRequest request;
    if (i > 0 && below(4, random) != 0) {
      const auto& other = trace.requests[random() % trace.requests.size()].blocks;
      request.blocks.assign(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(random() % (other.size() + 1)));
    }
    for (std::uint32_t fresh = below(5, random); fresh > 0; --fresh) request.blocks.push_back(BlockId{next++});
    const std::uint32_t missing = request.blocks.empty() ? 0 : below(trace.block_size, random);
    request.input_tokens = static_cast<std::uint32_t>(request.blocks.size()) * trace.block_size - missing;
    trace.requests.push_back(std::move(request));
  }
  return trace;
}

/// The rule once more, on the oracle's policy.
ReplayResult naive_replay(const RequestTrace& trace, const std::string& name, std::uint64_t capacity) {
  NaivePolicy policy(name);
  ReplayResult result;
  for (const TracedRequest& request : trace.requests) {
    const std::size_t blocks = request.blocks.size();
    for (std::size_t i = 0; i < blocks && policy.contains(request.blocks[i]); ++i) {
      ++result.hit_blocks;
      result.hit_tokens += i + 1 == blocks ? request.input_tokens - i * trace.block_size : trace.block_size;
    }
    for (std::size_t i = blocks; i-- > 0;) {
      policy.contains(request.blocks[i]) ? policy.touch(request.blocks[i])
                                         : policy.insert(request.blocks[i], static_cast<std::uint32_t>(i));
    }
    for (; policy.size() > capacity; ++result.evictions) policy.erase(policy.victim().value());
  }
  return result;
}

TEST_CASE("random traces give what the oracle gives, with every policy and capacity") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const RequestTrace trace = random_trace(random);
    for (const NamedPolicy& named : eviction_policies()) {
      const std::uint64_t capacity = 1 + below(40, random);
      INFO("seed " << seed << ", " << named.name << ", capacity " << capacity);
      const ReplayResult result = run(trace, named.name, capacity);
      const ReplayResult expected = naive_replay(trace, std::string(named.name), capacity);
      REQUIRE(result.hit_blocks == expected.hit_blocks);
      REQUIRE(result.hit_tokens == expected.hit_tokens);
      REQUIRE(result.evictions == expected.evictions);
      REQUIRE(result.cached_blocks <= capacity);
    }
  }
}

TEST_CASE("no capacity, no hashes, a used policy: each is an error before anything is replayed") {
  const RequestTrace trace = hand_made_trace();
  const auto policy = find_eviction_policy("lru").make();
  CHECK_THROWS_WITH(replay(trace, *policy, 0, {}, CancelToken()), contains("at least 1 block"));
  CHECK_THROWS_AS(replay(trace, *policy, 0, {}, CancelToken()), InputError);
  RequestTrace without_hashes = trace;
  without_hashes.block_size = 0;
  CHECK_THROWS_WITH(replay(without_hashes, *policy, 4, {}, CancelToken()), contains("no hashes"));
  CHECK(policy->size() == 0);
  policy->insert(BlockId{0}, 0);
  CHECK_THROWS_AS(replay(trace, *policy, 4, {}, CancelToken()), MisuseError);
}

TEST_CASE("an empty trace has no hits, and ratios that are numbers") {
  RequestTrace trace;
  trace.block_size = 512;
  const ReplayResult result = run(trace, "lru", 4);
  CHECK(result.block_hit_ratio() == 0);
  CHECK(result.token_hit_ratio() == 0);
}

TEST_CASE("progress ends at the last request; a cancelled replay gives no half result") {
  const RequestTrace trace = hand_made_trace();
  Progress last;
  const auto policy = find_eviction_policy("lru").make();
  REQUIRE(replay(
      trace, *policy, 4, [&](const Progress& now) { last = now; }, CancelToken()));
  CHECK(last.done == 9);
  CHECK(last.total == 9);
  CancelToken cancel;
  const auto fresh = find_eviction_policy("lru").make();
  Hits hits;
  const auto stopped = replay(trace, *fresh, 4, {}, cancel, [&](std::uint64_t blocks) {
    hits.push_back(blocks);
    if (hits.size() == 3) cancel.cancel();
  });
  CHECK_FALSE(stopped);
  CHECK(hits.size() == 3);
}

}  // namespace
}  // namespace kvarium
