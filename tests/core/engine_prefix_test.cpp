// The two prefix caches in the engine: where they agree, one table of cases is run with both.

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1};

std::function<void(EngineConfig&)> with(PrefixCaching kind) {
  return [kind](EngineConfig& config) { config.prefix_cache.kind = kind; };
}

std::uint32_t hit(const Bench& bench, RequestId id) { return bench.world_check.world().request(id).hit_tokens; }

/// Runs the first to its end, then the second; says how many tokens the second found.
std::uint32_t hit_after(PrefixCaching kind, const RequestSpec& first, const RequestSpec& second) {
  Bench bench(16, with(kind));
  bench.engine.submit(first);
  bench.run();
  bench.engine.submit(second);
  bench.run();
  return hit(bench, kB);
}

RequestSpec salted(RequestSpec spec, const std::string& salt) {
  spec.keys.tenant_salt = salt;
  return spec;
}

}  // namespace

TEST_CASE("both caches find the same whole blocks and leave a token to compute") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  struct Case {
    const char *first, *second;
    std::uint32_t hit;
  };
  const Case cases[] = {
      {"abcdefgh", "abcdefgh", 4},      // whole: the last block is computed again, as a token must be
      {"abcdefgh", "abcdefghi", 8},     // one token more
      {"abcdefghij", "abcdefghij", 8},  // the partial block is not kept
      {"abcdefgh", "abcdxfgh", 4},      // they part in the second block
      {"abcdefgh", "xbcdefgh", 0},      // and in the first: what follows is another text
      {"abc", "abc", 0},                // shorter than a block
      {"abcdefgh", "abc", 0},           //
      {"abcd", "abcde", 4},             //
      {"abcdefgh", "efghi", 0},         // the same block at another place
  };
  for (const auto& [first, second, expected] : cases) {
    INFO(first << " then " << second);
    CHECK(hit_after(kind, ask(first, 1), ask(second, 1)) == expected);
  }
}

TEST_CASE("a hit changes no answer, in either cache") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with(kind));
  for (const char* prompt : {"abcdefghij", "abcdefghij", "abcdefghxy", "abcdzz", "abcdefghijklm"}) {
    const RequestId id = bench.engine.submit(ask(prompt, 7));
    bench.run();
    CHECK(bench.text_of(id) == answer_of(prompt, 7));
  }
}

TEST_CASE("the answer can be hit too: the next turn of a conversation") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  const std::string prompt = "abcdef", answer = answer_of(prompt, 7);
  // 6 + 6 tokens were computed: the last of the answer never was.
  CHECK(hit_after(kind, ask(prompt, 7), ask(prompt + answer + "xyz", 1)) == 12);
}

TEST_CASE("two tenants share nothing, also when their salts differ only by case") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  const RequestSpec prompt = ask("abcdefghi", 1);
  CHECK(hit_after(kind, salted(prompt, "Bob"), salted(prompt, "Bob")) == 8);
  CHECK(hit_after(kind, salted(prompt, "Bob"), salted(prompt, "bob")) == 0);
  CHECK(hit_after(kind, salted(prompt, "Bob"), prompt) == 0);
}

TEST_CASE("case B46, B47: another adapter shares nothing, nor does another one of the same name") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  RequestSpec first = ask("abcdefghi", 1), second = first;
  first.keys.adapter = Adapter{"sql", 1};
  second.keys.adapter = Adapter{"sql", 2};
  CHECK(hit_after(kind, first, first) == 8);
  CHECK(hit_after(kind, first, second) == 0);
}

TEST_CASE("requests that arrive together compute the same prompt twice: what is not computed cannot be hit") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with(kind));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.run();
  CHECK(hit(bench, kB) == 0);
  CHECK(bench.text_of(kB) == answer_of("abcdefghi", 4));
}

TEST_CASE("case B16: who computed what the tree already has takes the tree's blocks, and lets its own go") {
  Bench bench(16, with(PrefixCaching::radix));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.step();
  CHECK(bench.count<BlockReplaced>() == 2);
  CHECK(bench.engine.table(kA)->show() == "[0,1,2] 9 tokens");
  CHECK(bench.engine.table(kB)->show() == "[0,1,5] 9 tokens");
}

TEST_CASE("in the hash cache each keeps its own copy, and the first is the one that is found") {
  Bench bench(16, with(PrefixCaching::hash));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.engine.submit(ask("abcdefghi", 4));
  bench.step();
  CHECK(bench.engine.prefix_cache().show() == "cached 0 1 3=0 4=1");
}

TEST_CASE("cached blocks make room for those who need it") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(4, with(kind));
  for (const char* prompt : {"abcdefghijkl", "mnopqrstuvwx", "aaaabbbbcccc", "abcdefghijkl"}) {
    const RequestId id = bench.engine.submit(ask(prompt, 4));
    bench.run();
    CHECK(bench.text_of(id) == answer_of(prompt, 4));
  }
  CHECK(bench.world_check.world().evicted_blocks > 0);
}

TEST_CASE("a hit on a free block takes one from those that can be handed out") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(4, with(kind));
  bench.engine.submit(ask("abcdefghijklm", 1));  // 4 blocks, 3 of them cached
  bench.run();
  bench.engine.submit(ask("abcdefghijklmn", 2));  // 3 hit, 1 new: all 4
  CHECK(bench.plan() == "admit B | compute B:2");
  bench.engine.submit(ask("zz", 1));
  CHECK(bench.plan() == "admit B | compute B:2");  // nothing is left for C
  bench.run();
}

TEST_CASE("a preempted request hits its own blocks when it resumes, and that is counted apart") {
  Bench bench(5, with(PrefixCaching::hash));
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  const World& world = bench.world_check.world();
  CHECK(world.request(kB).preemptions == 1);
  CHECK(world.prefix == PrefixCounts{15, 0});
  CHECK(world.resumed_prefix.hit_tokens == 4);
  CHECK(bench.text_of(kB) == answer_of("ijklmno", 6));
}

TEST_CASE("case B07: waiting for room counts no look-up until the request is admitted") {
  Bench bench(4, with(PrefixCaching::hash), {}, {.max_running = 1, .token_budget = 100});
  bench.engine.submit(ask("abcd", 8));
  bench.engine.submit(ask("efgh", 2));
  bench.run();
  CHECK(bench.world_check.world().prefix.queried_tokens == 8);
}

TEST_CASE("cached blocks live as long as they are told, and each use renews it") {
  Bench bench(16, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.prefix_cache.hash.time_to_live_ns = 300'000'000'000;  // five minutes
  });
  const auto ask_after = [&bench](std::uint64_t seconds) {
    bench.engine.wait(seconds * 1'000'000'000);
    const RequestId id = bench.engine.submit(ask("abcdefghi", 1));
    bench.run();
    return hit(bench, id);
  };
  CHECK(ask_after(0) == 0);
  CHECK(ask_after(240) == 8);
  CHECK(ask_after(240) == 8);  // eight minutes after it was computed
  CHECK(ask_after(300) == 0);
  CHECK(bench.count<BlockExpired>() == 2);
}

TEST_CASE("the cache is emptied only while nobody holds a block") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with(kind));
  bench.engine.submit(ask("abcdefghi", 3));
  bench.step();
  CHECK_FALSE(bench.engine.reset_prefix_cache());
  bench.run();
  CHECK(bench.engine.reset_prefix_cache());
  bench.check();
  bench.engine.submit(ask("abcdefghi", 1));
  bench.run();
  CHECK(hit(bench, kB) == 0);
}

TEST_CASE("candidates of one prompt share a cache's blocks and give their answers") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with(kind));
  RequestSpec spec = ask("abcdefghij", 6);
  spec.candidates = 3;
  bench.engine.submit(spec);
  bench.run();
  for (const std::uint32_t id : {0, 1, 2}) CHECK(bench.text_of(RequestId{id}) == answer_of("abcdefghij", 6));
  bench.engine.submit(ask("abcdefghijk", 1));
  bench.run();
  CHECK(hit(bench, RequestId{3}) == 8);
}

// Page 1, 16 slots, one token computed and none kept of each answer: what scenario S05 shows.
TEST_CASE("scenario S05: the tree splits, and the least recently used leaf makes room") {
  Bench bench(16, [](EngineConfig& config) {
    config.block_size = 1;
    config.prefix_cache.kind = PrefixCaching::radix;
  });
  const auto serve = [&bench](const char* prompt) {
    const RequestId id = bench.engine.submit(ask(prompt, 1));
    bench.run();
    return hit(bench, id);
  };
  CHECK(serve("bcdefghi") == 0);
  CHECK(serve("bcdefjkl") == 5);
  CHECK(serve("bcdmn") == 3);
  CHECK(bench.engine.prefix_cache().show() ==
        "[1,2,3]{[4,5]{[6,7,8], [9,10,11]}, [12,13]} | evictable 13, protected 0");
  CHECK(serve("bcdefghio") == 8);
  CHECK(bench.engine.pool().num_free() == 2);
  CHECK(serve("uvwx") == 0);
  CHECK(bench.engine.prefix_cache().show() ==
        "[1,2,3]{[4,5]{[6,7,8]{[14]}}, [12,13]}, [20,21,22,23] | evictable 15, protected 0");
  const World& world = bench.world_check.world();
  const auto leaf = std::find_if(world.radix.begin(), world.radix.end(), [](const auto& node) {
    return node->exists && !node->tokens.empty() && node->tokens.front() == TokenId{20};
  });
  REQUIRE(leaf != world.radix.end());
  CHECK((*leaf)->blocks == std::vector<BlockId>{BlockId{14}, BlockId{15}, BlockId{8}, BlockId{9}});
}
