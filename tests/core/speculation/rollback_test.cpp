// The worked rollback: blocks of 4 tokens, K and V of 10 tokens in blocks 7, 3 and 12; five drafts are verified at
// positions 11 to 15, behind the newest token at 10, which takes block 5.

#include <algorithm>

#include "tests/support/speculation_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
const std::string kPrompt = "abcdefghij";

/// After the prompt and one round of five drafts, of which `accepted` are right.
struct Round {
  explicit Round(std::uint32_t accepted, PrefixCaching cache = PrefixCaching::off)
      : proposer(oracle({kPrompt}, always_right(accepted))), bench(26, 64, config(cache)) {
    bench.engine.submit(ask(kPrompt, 32));
    bench.step();
    REQUIRE(bench.table(kA) == "[7,3,12] 10 tokens");
    first_event = bench.sink.events.size();
    bench.step();
  }
  EngineConfig config(PrefixCaching cache) {
    EngineConfig config = speculating(proposer.get(), 5, worked_order());
    config.prefix_cache.kind = cache;
    return config;
  }
  std::uint32_t stale() const {
    for (std::size_t i = first_event; i < bench.sink.events.size(); ++i) {
      if (const auto* back = std::get_if<RolledBack>(&bench.sink.events[i])) return 16 - back->kept_tokens;
    }
    return 0;
  }

  std::unique_ptr<OracleProposer> proposer;
  SpeculationBench bench;
  std::size_t first_event = 0;
};

}  // namespace

TEST_CASE("nothing accepted: one token all the same, and the block taken for drafts returns") {
  Round r(0);
  CHECK(r.bench.table(kA) == "[7,3,12] 11 tokens");
  CHECK(r.bench.engine.pool().show() == "free 9 0 1 2 4 6 8 10 11 5 | used 3x1 7x1 12x1");
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 2));
  CHECK(r.stale() == 5);  // one in block 12, four in block 5
}

TEST_CASE("one accepted fills block 12: block 5 still returns, with its four slots") {
  Round r(1);
  CHECK(r.bench.table(kA) == "[7,3,12] 12 tokens");
  CHECK(r.bench.engine.pool().num_free() == 10);
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 3));
  CHECK(r.stale() == 4);
}

TEST_CASE("two accepted: only the length moves, and three slots of block 5 are stale") {
  Round r(2);
  CHECK(r.bench.table(kA) == "[7,3,12,5] 13 tokens");
  CHECK(r.bench.engine.pool().num_free() == 9);
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 4));
  CHECK(r.stale() == 3);
  CHECK(r.bench.world().blocks[5].written == 4);
  CHECK(filled_slots(r.bench.world(), r.bench.world().request(kA), 3) == 1);
}

TEST_CASE("all five accepted: nothing is taken back, and the bonus token comes on top") {
  Round r(5);
  CHECK(r.bench.table(kA) == "[7,3,12,5] 16 tokens");
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 7));
  CHECK(r.stale() == 0);
}

TEST_CASE("the events of a round, in their order") {
  const Round r(1);
  std::vector<Event> events(r.bench.sink.events.begin() + static_cast<std::ptrdiff_t>(r.first_event),
                            r.bench.sink.events.end());
  const auto names_a_token = [](const Event& event) { return std::holds_alternative<TokenNamed>(event); };
  events.erase(std::remove_if(events.begin(), events.end(), names_a_token), events.end());
  CHECK(names_of(events, 0) ==
        "StepStarted DraftProposed BlockAllocated KvComputed KvRead WorkCounted DraftVerified DraftVerified "
        "TokenRecovered TokenSampled TokenSampled RolledBack BlockReleased StepTimed");
}

TEST_CASE("every invariant holds after every event of a round") {
  for (const std::uint32_t accepted : {0U, 1U, 2U, 5U}) {
    Round r(accepted, PrefixCaching::radix);
    r.bench.run();
    World world;
    for (const Event& event : r.bench.sink.events) {
      fold(world, event);
      REQUIRE(violations(world) == std::vector<std::string>{});
    }
  }
}

TEST_CASE("the World counts rounds, drafts and how many of them were accepted") {
  const Round r(2);
  const SpeculationCounts& counts = r.bench.world().speculation;
  CHECK(counts.rounds == 1);
  CHECK(counts.drafted == 5);
  CHECK(counts.accepted == 2);
  CHECK(counts.with_accepted == std::vector<std::uint64_t>{0, 0, 1});
  const DraftRound& round = *r.bench.world().request(kA).round;
  CHECK(round.trials.size() == 3);
  CHECK_FALSE(round.open);
  CHECK(round.q == std::vector<double>{1, 1, 1, 1, 1});
}

TEST_CASE("a block that holds a rejected draft is found by nobody until an accepted token takes its slot") {
  Round r(0, PrefixCaching::hash);
  CHECK(r.bench.engine.prefix_cache().show() == "cached 3 7");  // block 12 has 3 tokens that count, and a stale slot
  r.bench.step();
  CHECK(r.bench.engine.prefix_cache().show() == "cached 3 7 12");
}

TEST_CASE("a hit after a round counts no rejected draft") {
  Round r(0, PrefixCaching::hash);
  r.bench.engine.submit(ask(kPrompt + answer_of(kPrompt, 2), 2));
  r.bench.step();
  CHECK(r.bench.world().request(RequestId{1}).hit_tokens == 8);
  r.bench.run();
  CHECK(r.bench.text_of(RequestId{1}) == answer_of(kPrompt + answer_of(kPrompt, 2), 2));
}
