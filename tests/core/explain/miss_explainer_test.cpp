// Every reason why a block of a prompt did not hit, brought about by an engine over the fake model.

#include <set>

#include "core/eviction/policies.h"
#include "tests/core/explain/explain_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

/// Runs one request after the other; says the fates of the last one.
std::string fates_after(Bench& bench, const std::vector<RequestSpec>& requests) {
  RequestId last{};
  for (const RequestSpec& request : requests) {
    last = bench.engine.submit(request);
    bench.run();
  }
  return fates(bench, last);
}

RequestSpec salted(RequestSpec spec, const std::string& salt) {
  spec.keys.tenant_salt = salt;
  return spec;
}

}  // namespace

TEST_CASE("without a prefix cache that is the reason for every block") {
  Bench bench(16);
  CHECK(fates_after(bench, {ask("abcdefgh", 1), ask("abcdefgh", 1)}) == "no_cache no_cache");
}

TEST_CASE("what both caches say of whole blocks, the last token and the block floor") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  struct Case {
    const char *first, *second, *fates;
  };
  const Case cases[] = {
      {"abcdefghij", "abcdefghij", "hit:A hit:A partial"},
      {"abcdefgh", "abcdefgh", "hit:A last_token"},
      {"abcdefgh", "abcdxyzuv", "hit:A never partial"},
      {"abcdefgh", "xbcdefghi", "never never partial"},
      {"abc", "abc", "partial"},
      {"abcdefghi", "efghi", "never partial"},  // the same block at another place
  };
  for (const auto& [first, second, expected] : cases) {
    INFO(first << " then " << second);
    Bench bench(16, with_cache(kind));
    CHECK(fates_after(bench, {ask(first, 1), ask(second, 1)}) == expected);
  }
}

TEST_CASE("another salt or adapter: the same tokens are there, but not for this request") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with_cache(kind));
  RequestSpec adapted = ask("abcdefghi", 1);
  adapted.keys.adapter = Adapter{"sql", 7};
  CHECK(fates_after(bench, {salted(ask("abcdefghi", 1), "bob"), salted(ask("abcdefghi", 1), "Bob")}) ==
        "other_scope:A other_scope:A partial");
  Bench other(16, with_cache(kind));
  CHECK(fates_after(other, {ask("abcdefghi", 1), adapted}) == "other_scope:A other_scope:A partial");
}

TEST_CASE("an image later in the prompt: what is before it is shared by its hash, what is behind it is not") {
  Bench bench(16, with_cache(PrefixCaching::hash));
  RequestSpec cat = ask("abcdefghi", 3), dog = cat;  // two steps more, in which the blocks are still held
  cat.keys.media = {{"cat", 4, 2}};
  dog.keys.media = {{"dog", 4, 2}};
  CHECK(fates_after(bench, {cat, dog}) == "hit:A other_scope:A partial");
  World world;  // the second reads the block before the image that the first one computed: that is its own text
  for (const Event& event : bench.sink.events) {
    fold(world, event);
    REQUIRE(violations(world) == std::vector<std::string>{});
  }
}

namespace {

std::string fates_in(const std::vector<Event>& events) {
  Trace trace;
  for (const Event& event : events) trace.emit(event);
  const auto why = explain_misses(trace, kA);
  return why ? names_of_fates(*why) : "nothing";
}

}  // namespace

TEST_CASE("of a request that was admitted before there was a pool there is nothing to explain") {
  CHECK(fates_in({RequestArrived{kA, tokens_of("abcdefgh"), 1}, RequestAdmitted{kA},
                  PoolCreated{4, {BlockId{0}, BlockId{1}}}}) == "nothing");
}

TEST_CASE("a hit that ends within a partial block, which no cache gives, is told as what it is") {
  CHECK(fates_in({PoolCreated{4, {BlockId{0}}}, RequestArrived{kA, tokens_of("abc"), 1}, RequestAdmitted{kA},
                  BlockAllocated{kA, BlockId{0}}, PrefixMatched{kA, 3, 3}}) == "partial");
}

TEST_CASE("what was cached in an old pool, which had more blocks, is gone with it") {
  CHECK(fates_in({PoolCreated{4, {BlockId{0}, BlockId{1}}}, RequestArrived{kA, tokens_of("abcdefghi"), 1},
                  RequestArrived{kB, tokens_of("abcdefghi"), 1, "x"}, RequestAdmitted{kB},
                  BlockAllocated{kB, BlockId{0}}, BlockAllocated{kB, BlockId{1}},
                  KvComputed{kB, 0, 8, Phase::prefill, true}, BlockCached{kB, BlockId{1}, 1, {1, 1}},
                  BlockReleased{kB, BlockId{1}, 0}, BlockReleased{kB, BlockId{0}, 0}, PoolCreated{4, {BlockId{0}}},
                  RequestAdmitted{kA}, PrefixMatched{kA, 9, 0}}) == "never never partial");
}

TEST_CASE("a request that arrives after the look-up and computes in the same step is no misuse") {
  CHECK(fates_in({PoolCreated{4, {BlockId{0}, BlockId{1}, BlockId{2}}}, RequestArrived{kA, tokens_of("abcdefghi"), 1},
                  StepStarted{1}, RequestAdmitted{kA}, PrefixMatched{kA, 9, 0},
                  RequestArrived{kB, tokens_of("abcdx"), 1}, RequestAdmitted{kB}, BlockAllocated{kB, BlockId{0}},
                  KvComputed{kB, 0, 4, Phase::prefill, true}}) == "same_step:B never partial");
}

TEST_CASE("evicted: the step, and who needed the room") {
  Bench hash(4, with_cache(PrefixCaching::hash));
  const std::vector<RequestSpec> requests{ask("abcdefghijkl", 1), ask("mnopqrstuvwx", 1), ask("abcdefghijklm", 1)};
  CHECK(fates_after(hash, requests) == "hit:A evicted:B evicted:B partial");
  Bench radix(4, with_cache(PrefixCaching::radix));
  CHECK(fates_after(radix, requests) == "evicted:B evicted:B evicted:B partial");  // a node goes as a whole
  const auto why = explain_misses(Recorded(radix).trace, kC);
  REQUIRE(why.has_value());
  CHECK(why->blocks[1].step == 2);
  CHECK(sentence(why->blocks[1], kC) == "It was evicted in step 2 to make room for request B.");
}

TEST_CASE("behind a miss: a policy that takes the trunk first leaves branches that nobody reaches") {
  Bench bench(4, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.prefix_cache.hash.policy = &find_eviction_policy("fifo");
  });
  CHECK(fates_after(bench, {ask("abcdefghijkl", 1), ask("mnopqrstuvwx", 1), ask("abcdefghijklm", 1)}) ==
        "evicted:B evicted:B behind partial");
}

TEST_CASE("expired: nobody used it for as long as cached blocks live") {
  Bench bench(16, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.prefix_cache.hash.time_to_live_ns = 300'000'000'000;
  });
  fates_after(bench, {ask("abcdefghi", 1)});
  bench.engine.wait(300'000'000'000);
  CHECK(fates_after(bench, {ask("abcdefghi", 1)}) == "expired expired partial");
}

TEST_CASE("emptied: the whole cache was forgotten") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with_cache(kind));
  fates_after(bench, {ask("abcdefghi", 1)});
  REQUIRE(bench.engine.reset_prefix_cache());
  CHECK(fates_after(bench, {ask("abcdefghi", 1)}) == "emptied emptied partial");
}

TEST_CASE("same step: it can be found from the next one on") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with_cache(kind));
  bench.engine.submit(ask("abcdefghi", 2));
  bench.engine.submit(ask("abcdefghi", 2));
  bench.run();
  CHECK(fates(bench, kA) == "same_step:B same_step:B partial");
  CHECK(fates(bench, kB) == "same_step:A same_step:A partial");
}

TEST_CASE("not kept yet: the tree keeps an answer at its end, a hash cache keeps each full block at once") {
  const std::string prompt = "abcdef", next = prompt + answer_of(prompt, 7) + "xyz";
  const auto run = [&](PrefixCaching kind) {
    Bench bench(32, with_cache(kind));
    bench.engine.submit(ask(prompt, 20));
    for (int step = 0; step < 8; ++step) bench.step();
    bench.engine.submit(ask(next, 1));
    bench.step();
    return fates(bench, kB);
  };
  CHECK(run(PrefixCaching::radix) == "hit:A not_kept_yet:A not_kept_yet:A last_token");
  CHECK(run(PrefixCaching::hash) == "hit:A hit:A hit:A last_token");
}

TEST_CASE("lost: who computed it was aborted before it was kept") {
  const std::string prompt = "abcdef", next = prompt + answer_of(prompt, 7) + "xyz";
  Bench bench(32, with_cache(PrefixCaching::radix));
  bench.engine.submit(ask(prompt, 20));
  for (int step = 0; step < 8; ++step) bench.step();
  bench.engine.abort(kA);
  CHECK(fates_after(bench, {ask(next, 1)}) == "hit:A lost:A lost:A last_token");
}

TEST_CASE("lost: a request that starts again had computed it itself") {
  Bench bench(5, with_cache(PrefixCaching::radix));
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  const auto why = explain_misses(Recorded(bench).trace, kB);
  REQUIRE(why.has_value());
  CHECK(why->resumed == 1);
  CHECK(fates(bench, kB).find("lost:B") != std::string::npos);
}

TEST_CASE("swapped: what comes back from the host is not looked up") {
  Bench bench(5, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.preemption = Preemption::swap;
  });
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  CHECK(fates(bench, kB).rfind("swapped swapped", 0) == 0);
}

TEST_CASE("a hash of 8 bits finds what holds other tokens, and the explainer says so") {
  Bench bench(256, [](EngineConfig& config) {
    config.prefix_cache.kind = PrefixCaching::hash;
    config.prefix_cache.hash_bits = 8;
  });
  RequestId id{};
  for (char letter = 'a'; letter <= 'z' && bench.world_check.world().prefix.hit_tokens == 0; ++letter) {
    for (char other = 'a'; other <= 'z' && bench.world_check.world().prefix.hit_tokens == 0; ++other) {
      id = bench.engine.submit(ask(std::string(2, letter) + std::string(3, other), 1));
      bench.run();
    }
  }
  REQUIRE(bench.world_check.world().prefix.hit_tokens > 0);
  CHECK(fates(bench, id).rfind("wrong_hit:", 0) == 0);
}

TEST_CASE("the explainer agrees with the engine: what it calls a hit is what was found") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(6, with_cache(kind));
  const char* const prompts[] = {"abcdefghij", "abcdefghxy", "abcdzzzzzz", "mnopqrstuv", "abcdefghijkl", "mnopqrst"};
  for (int i = 0; i < 30; ++i) bench.engine.submit(ask(prompts[(i * 7 + i / 4) % 6], 1 + i % 5));
  bench.run();
  const Recorded recorded(bench);
  std::set<BlockFate> seen;
  for (const auto& request : recorded.trace.newest().requests) {
    const auto why = explain_misses(recorded.trace, request->id);
    REQUIRE(why.has_value());
    std::uint32_t hit = 0;
    for (const BlockReason& reason : why->blocks) {
      seen.insert(reason.fate);
      if (reason.fate == BlockFate::hit) hit += reason.count;
    }
    CHECK(hit == why->hit_tokens);
  }
  CHECK(seen.count(BlockFate::hit) + seen.count(BlockFate::evicted) == 2);
  CHECK(seen.count(BlockFate::wrong_hit) == 0);
}
