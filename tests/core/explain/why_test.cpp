// Sentences: why a block was evicted, why a request was preempted, and a request's whole text.

#include "core/prefix/extra_keys.h"
#include "tests/core/explain/explain_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {
constexpr RequestId kA{0}, kB{1}, kC{2};
}

TEST_CASE("a block's eviction is told with who needed the room and what it held") {
  Bench bench(4, with_cache(PrefixCaching::hash));
  for (const char* prompt : {"abcdefghijkl", "mnopqrstuvwx"}) {
    bench.engine.submit(ask(prompt, 1));
    bench.run();
  }
  const Recorded recorded(bench);
  CHECK(why_evicted(recorded.trace, BlockId{2}) ==
        "Block 2 was evicted in step 2: request B needed a block, and this one stood at the head of the free queue. It "
        "held what request A computed in step 1.");
  CHECK(why_evicted(recorded.trace, BlockId{0}).empty());
  CHECK(why_evicted(recorded.trace, BlockId{2}, 3).empty());  // that was later
}

TEST_CASE("a node's removal is told, and of each of its blocks") {
  Bench bench(4, with_cache(PrefixCaching::radix));
  for (const char* prompt : {"abcdefghijkl", "mnopqrstuvwx"}) {
    bench.engine.submit(ask(prompt, 1));
    bench.run();
  }
  const Recorded recorded(bench);
  const std::string because =
      "in step 2, request B needed room; nobody held a lock on the node, nothing hung below it, and it was used last "
      "in "
      "step 1.";
  CHECK(why_removed(recorded.trace, NodeId{1}) == "Node 1 was evicted: " + because);
  CHECK(why_evicted(recorded.trace, BlockId{1}) == "Block 1 was evicted with node 1: " + because);
  CHECK(why_removed(recorded.trace, NodeId{2}).empty());
}

TEST_CASE("of a block that went with several nodes the last one is told") {
  Bench bench(4, with_cache(PrefixCaching::radix));
  for (const char* prompt : {"abcdefghijkl", "mnopqrstuvwx", "zyxwvutsrqpo"}) {
    bench.engine.submit(ask(prompt, 1));
    bench.run();
  }
  const Recorded recorded(bench);
  std::vector<std::size_t> removals;
  for (std::size_t i = 0; i < recorded.trace.size(); ++i) {
    if (std::holds_alternative<RadixNodeRemoved>(recorded.trace[i])) removals.push_back(i);
  }
  REQUIRE(removals.size() == 2);
  const std::string last = why_evicted(recorded.trace, BlockId{1});
  CHECK_THAT(last, contains("in step 3, request C needed room"));
  CHECK_THAT(why_evicted(recorded.trace, BlockId{1}, removals[1]), contains("in step 2, request B needed room"));
  CHECK(why_evicted(recorded.trace, BlockId{1}, removals[0]).empty());
}

TEST_CASE("a preemption is told with who needed the block and why it was this request") {
  Bench bench(5);
  bench.engine.submit(ask("abcdefgh", 6));
  bench.engine.submit(ask("ijklmno", 6));
  bench.run();
  const Recorded recorded(bench);
  const std::string why = why_preempted(recorded.trace, kB);
  CHECK_THAT(why, contains("Request B was preempted in step "));
  CHECK_THAT(why, contains("of 5 blocks were free, and of those that ran it was admitted last."));
  CHECK(why_preempted(recorded.trace, kA).empty());
}

TEST_CASE("of a whole text, blocks with the same reason are told in one line") {
  Bench bench(16, with_cache(PrefixCaching::radix));
  bench.engine.submit(ask("abcdefghijklmnop", 1));
  bench.run();
  bench.engine.submit(ask("abcdxxxxxxxxxxxxx", 1));
  bench.run();
  bench.engine.submit(ask("abcdefghijklm", 1));
  bench.run();
  CHECK(explain(Recorded(bench).trace, kC)[1] ==
        "Tokens 0 to 11: Found in blocks 0, 1, 2: request A computed them in step 1.");
  CHECK(explain(Recorded(bench).trace, kB) ==
        std::vector<std::string>{"Request B started in step 2: 4 of its 17 tokens were found in the prefix cache.",
                                 "Tokens 0 to 3: Found in block 0: request A computed it in step 1.",
                                 "Tokens 4 to 15: Nobody had computed it yet.",
                                 "Token 16: Below the block floor: only full blocks are kept."});
  CHECK(explain_block(Recorded(bench).trace, kB, 1) ==
        std::vector<std::string>{"Tokens 4 to 7: Nobody had computed it yet."});
  CHECK(explain_block(Recorded(bench).trace, kB, 9).front() ==
        "Block 9 of request B's text holds its answer: it was computed, not looked up.");
}

TEST_CASE("where two texts part inside a block, it is said how far they are the same") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::hash, PrefixCaching::radix}));
  Bench bench(16, with_cache(kind));
  bench.engine.submit(ask("abcdefghij", 1));
  bench.run();
  bench.engine.submit(ask("abcdefxyzzzz", 1));
  bench.run();
  CHECK(explain_block(Recorded(bench).trace, kB, 1) ==
        std::vector<std::string>{"Tokens 4 to 7: Request A computed the first 2 of these tokens; then the texts part, "
                                 "and a block is found whole or not at all."});
}

TEST_CASE("where there is nothing to explain that is said") {
  Bench bench(16, with_cache(PrefixCaching::hash), {}, {.max_running = 2, .token_budget = 100});
  RequestSpec two = ask("abcdefghi", 3);
  two.candidates = 2;
  bench.engine.submit(two);
  bench.engine.submit(ask("abcdefghi", 3));
  bench.step();
  const Recorded recorded(bench);
  CHECK_THAT(explain(recorded.trace, kB).front(), contains("Request B has not been admitted yet"));
  CHECK_THAT(explain(recorded.trace, kC).front(), contains("Request C was forked from A"));
  CHECK_THAT(explain(recorded.trace, RequestId{9}).front(), contains("has not arrived yet"));
  CHECK_THAT(explain(recorded.trace, kB, 0).front(), contains("Request B has not arrived yet"));
}

TEST_CASE("of a tagged scope, media that begin later are left out") {
  ExtraKeys keys{"a=,b", Adapter{"sql", 7}, {{"cat,1", 4, 2}, {"dog", 9, 3}}};
  ExtraKeys until_nine = keys;
  until_nine.media.pop_back();
  CHECK(tagged_until(tagged(keys), 9) == tagged(until_nine));
  CHECK(tagged_until(tagged(keys), 10) == tagged(keys));
  CHECK(tagged_until(tagged(keys), 4) == tagged_scope(keys));
  for (const char* other : {"", "x", "salt=", "salt=9:a", "media=1:x@,", "salt=1:x", "salt=99999999999:x,"}) {
    CHECK(tagged_until(other, 4) == other);
  }
}
