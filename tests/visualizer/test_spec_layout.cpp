// The geometry of the Spec tab, and both caches position by position.

#include "tests/support/speculation_bench.h"
#include "visualizer/layout/cache_strip.h"
#include "visualizer/layout/draft_cells.h"
#include "visualizer/layout/spec_charts.h"

using namespace kvarium;
using namespace kvarium::ui::layout;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
const std::string kPrompt = "abcdefghij";

/// S06 on the fake model: blocks 7, 3, 12 hold 10 tokens, five drafts follow, so many of them right.
struct Worked {
  explicit Worked(std::uint32_t right) : proposer(oracle({kPrompt}, always_right(right))), bench(26, 64, config()) {
    bench.engine.submit(ask(kPrompt, 32));
    bench.step();
    bench.step();
    for (const Event& event : bench.sink.events) trace.emit(event);
  }
  EngineConfig config() const { return speculating(proposer.get(), 5, worked_order()); }
  std::string target(const World& now, std::size_t most = 64) const {
    const std::vector<RoundRecord> rounds = rounds_of_step(trace, now);
    return target_notation(cache_strip(now, now.request(kA), rounds.empty() ? nullptr : &rounds.front(), most));
  }
  std::string target() const { return target(trace.newest()); }
  /// After the first event of this kind in step 2.
  template <typename E>
  World after() const {
    std::size_t n = trace.start_of_step(2);
    while (!std::holds_alternative<E>(trace[n])) ++n;
    return trace.world_at(n + 1);
  }

  std::unique_ptr<OracleProposer> proposer;
  SpeculationBench bench;
  Trace trace;
};

}  // namespace

TEST_CASE("after the round the strip shows what was kept, what is stale and which block returned: a = 0, 1, 2, 5") {
  CHECK(Worked(0).target() == "7[====] 3[====] 12[===x] returned 5[xxxx]");
  CHECK(Worked(1).target() == "7[====] 3[====] 12[====] returned 5[xxxx]");
  CHECK(Worked(2).target() == "7[====] 3[====] 12[====] 5[=xxx]");
  CHECK(Worked(5).target() == "7[====] 3[====] 12[====] 5[====]");
}

TEST_CASE("while the round is under way its drafts are told apart from what counts") {
  const Worked two(2);
  CHECK(two.target(two.after<StepStarted>()) == "7[====] 3[====] 12[==__]");
  CHECK(two.target(two.after<BlockAllocated>()) == "7[====] 3[====] 12[==__] 5[____]");
  CHECK(two.target(two.after<KvComputed>()) == "7[====] 3[====] 12[===?] 5[????]");
  CHECK(two.target(two.after<DraftVerified>()) == "7[====] 3[====] 12[====] 5[????]");
  CHECK(two.target(two.after<TokenRecovered>()) == "7[====] 3[====] 12[====] 5[=xxx]");
}

TEST_CASE("a strip that is too long begins with a whole block; where none fits, with what does") {
  const Worked two(2);
  CHECK(two.target(two.trace.newest(), 10) == "12[====] 5[=xxx]");
  CHECK(two.target(two.trace.newest(), 4) == "5[=xxx]");
  CHECK(two.target(two.trace.newest(), 3) == "5[xxx]");
}

TEST_CASE("the draft model's row: valid, taken back, and what it has yet to read") {
  World world;
  world.block_size = 4;
  RequestState request;
  request.tokens.resize(9);
  request.draft_cached = 7;
  RoundRecord round;
  round.round.first = 6;
  round.round.open = false;
  round.draft_read = 8;
  CHECK(draft_notation(cache_strip(world, request, &round, 64)) == "=======x.");
  CHECK(draft_notation(cache_strip(world, request, nullptr, 64)) == "=======..");
  request.draft_cached = 0;
  CHECK(draft_notation(cache_strip(world, request, nullptr, 64)).empty());
}

TEST_CASE("the cells of a round lie side by side, one more than there are drafts") {
  const DraftCells cells = draft_cells({10, 20, 400, 78}, 5, 1);
  REQUIRE(cells.drafts.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(cells.drafts[i].whole.x > cells.drafts[i - 1].whole.right());
  CHECK(cells.next.whole.x > cells.drafts[4].whole.right());
  CHECK(cells.next.whole.right() <= 410.01F);
  const DraftCell& cell = cells.drafts[0];
  CHECK(cell.token.bottom() <= cell.q.y);
  CHECK(cell.q.bottom() <= cell.p.y);
  CHECK(cell.p.bottom() <= cell.chance.y);
  CHECK(cell.chance.bottom() <= cell.word.y);
  CHECK(cell.word.bottom() == Approx(98));
}

TEST_CASE("few drafts make no giants, and many no numbers") {
  CHECK(draft_cells({0, 0, 1000, 78}, 1, 1).next.whole.width == kWidestDraft);
  CHECK(draft_cells({0, 0, 1000, 78}, 1, 1).next.has_numbers);
  CHECK_FALSE(draft_cells({0, 0, 400, 78}, 8, 1).next.has_numbers);
  CHECK(draft_cells({0, 0, 10, 78}, 8, 1).next.whole.width == 0);
}

TEST_CASE("u stands on the bar where it is between 0 and 1") {
  const Rect bar{100, 0, 50, 8};
  CHECK(DraftCell::place(bar, 0) == 100);
  CHECK(DraftCell::place(bar, .5) == 125);
  CHECK(DraftCell::place(bar, 2) == 150);
}

TEST_CASE("paired bars share one scale and stand on the bottom") {
  const std::vector<double> counted{0, 4, 1}, expected{1, 2, 2};
  const PairedBars bars = paired_bars({0, 10, 90, 40}, counted, expected);
  REQUIRE(bars.counted.size() == 3);
  CHECK(bars.counted[1].height == 40);
  CHECK(bars.counted[0].height == 0);
  CHECK(bars.expected[1].height == 20);
  CHECK(bars.expected[2].bottom() == 50);
  CHECK(bars.expected[0].right() <= bars.counted[1].x);
  CHECK(paired_bars({0, 0, 90, 40}, std::vector<double>{0}, std::vector<double>{0}).counted[0].height == 0);
}

TEST_CASE("points lie between the ends of their axes") {
  const Rect area{10, 20, 100, 50};
  CHECK(place_in(area, {0, 10}, 5, {0, 2}, 1) == Point{60, 45});
  CHECK(place_in(area, {0, 10}, 20, {0, 2}, -1) == Point{110, 70});
  CHECK(range_of(std::vector<double>{.5, 3}).high > 3);
  CHECK(range_of({}).high > 1);
}

TEST_CASE("of a tree the first path is shown, and once it is judged, what was judged") {
  DraftRound round;
  round.tokens.resize(5);
  round.parents = {0, 0, 0, 1, 1, 3};  // nodes 1 and 2 behind the root, 3 and 4 behind 1, 5 behind 3
  using Drafts = std::vector<std::size_t>;
  CHECK(shown_drafts(round) == Drafts{0, 2, 4});
  round.trials = {{1, .5, 0, true}, {4, .5, 0, true}};
  CHECK(shown_drafts(round) == Drafts{0, 3});
  round.parents.clear();
  CHECK(shown_drafts(round) == Drafts{0, 1, 2, 3, 4});
}
