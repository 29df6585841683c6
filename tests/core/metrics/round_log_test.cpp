// Rounds of drafts read from events, and what they were worth.

#include "core/metrics/round_log.h"

#include "core/metrics/speculation_report.h"
#include "core/speculation/theory.h"
#include "tests/support/speculation_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
const std::string kPrompt = "abcdefghij";

/// A run to its end in which so many of five drafts are right.
struct Recorded {
  explicit Recorded(std::uint32_t right, std::uint32_t new_tokens = 12)
      : proposer(oracle({kPrompt}, always_right(right))),
        bench(26, 64, speculating(proposer.get(), 5, worked_order())) {
    bench.engine.submit(ask(kPrompt, new_tokens));
    bench.run();
    for (const Event& event : bench.sink.events) trace.emit(event);
    log.follow(trace);
  }
  World after_step(std::uint64_t step) const {
    return trace.world_at(step < trace.num_steps() ? trace.start_of_step(step + 1) : trace.size());
  }
  Rounds rounds(const World& now) const { return {log, trace, now}; }

  std::unique_ptr<OracleProposer> proposer;
  SpeculationBench bench;
  Trace trace;
  RoundLog log;
};

}  // namespace

TEST_CASE("a round knows its step, its drafts, its tokens and the block that came and went") {
  const Recorded none(0);
  const World now = none.after_step(2);
  const Rounds rounds = none.rounds(now);
  REQUIRE(rounds.size() == 1);
  CHECK(round_line(rounds[0]) == "step 2, request A: 0 of 5 guesses accepted, 1 tokens");
  CHECK(rounds[0].taken == std::vector<BlockId>{BlockId{5}});
  CHECK(rounds[0].returned == std::vector<BlockId>{BlockId{5}});
  CHECK(rounds[0].draft_read == 0);
}

TEST_CASE("tokens a round are those that the request got: a round in which its answer ends counts with fewer") {
  const auto proposer = oracle({kPrompt}, always_right(5));
  SpeculationBench bench(26, 64, speculating(proposer.get(), 5, worked_order()));
  RequestSpec spec = ask(kPrompt, 32);
  spec.stop_strings = {answer_of(kPrompt, 3).substr(1)};  // the first token is the prompt's pass's, then two of a round
  bench.engine.submit(spec);
  bench.run();
  Trace trace;
  RoundLog log;
  for (const Event& event : bench.sink.events) trace.emit(event);
  log.follow(trace);
  const SpeculationFigures figures = speculation_figures(Rounds(log, trace, trace.newest()), .1);
  CHECK(figures.rounds == 1);
  CHECK(figures.accepted == 5);
  CHECK(figures.tokens_a_round == 2);
}

TEST_CASE("two of five accepted: block 5 was taken and nothing returned") {
  const Recorded two(2);
  const World now = two.after_step(2);
  const Rounds rounds = two.rounds(now);
  CHECK(rounds[0].given == 3);
  CHECK(rounds[0].returned.empty());
  const std::string text = round_text(rounds[0], now);
  CHECK_THAT(text, contains("    11  "));
  CHECK_THAT(text, contains("q 1.000  p 1.000  u 0.000  accepted\n"));
  CHECK_THAT(text, contains("q 1.000  p 0.000  u 0.000  rejected\n"));
  CHECK_THAT(text, contains("q 1.000  void\n"));
  CHECK_THAT(text, contains("probability 1.000, in its place\n"));
  CHECK_THAT(text, contains("  blocks taken: 5\n"));
}

TEST_CASE("at every moment the rounds are those that have happened, as far as they have come") {
  const Recorded run(2);
  const World end = run.trace.newest();
  const Rounds all = run.rounds(end);
  REQUIRE(all.size() == end.speculation.rounds);
  World now;
  for (std::size_t n = 0; n <= run.trace.size(); ++n) {
    run.trace.seek(now, n);
    const Rounds rounds = run.rounds(now);
    std::uint64_t over = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) over += rounds[i].round.next ? 1 : 0;
    CHECK(over == now.speculation.rounds);
    CHECK(rounds.size() - over <= 1);  // one request: one round that is under way
    if (rounds.size() > 1) CHECK(rounds[0] == all[0]);
  }
}

TEST_CASE("a log that follows a growing trace says the same as one that reads it at once") {
  const Recorded run(2);
  Trace trace;
  RoundLog log;
  for (std::size_t n = 0; n < run.trace.size(); ++n) {
    trace.emit(run.trace[n]);
    log.follow(trace);
  }
  CHECK(log.ended() == run.log.ended());
}

TEST_CASE("an answer that ends inside a draft gets fewer tokens than were accepted, and its blocks are no rollback") {
  const Recorded five(5, 4);  // one token from the prompt's pass, then a round that could give six
  const World end = five.trace.newest();
  const Rounds rounds = five.rounds(end);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].given == 3);
  CHECK(rounds[0].returned.empty());
}

TEST_CASE("the figures count judged guesses only, and theory expects the same rounds") {
  const Recorded two(2);
  const World now = two.after_step(3);
  const SpeculationFigures figures = speculation_figures(two.rounds(now), .1);
  CHECK(figures.rounds == 2);
  CHECK(figures.drafted == 10);
  CHECK(figures.judged == 6);  // two accepted and one rejected, twice
  CHECK(figures.alpha == Approx(2.0 / 3));
  CHECK(figures.tokens_a_round == 3);
  CHECK(figures.expected_tokens_a_round == Approx(expected_tokens(2.0 / 3, 5)));
  CHECK(figures.with_accepted == std::vector<std::uint64_t>{0, 0, 2, 0, 0, 0});
  double rounds = 0;
  for (const double expected : figures.expected_with_accepted) rounds += expected;
  CHECK(rounds == Approx(2));
  CHECK(figures.best_length == best_draft_length(2.0 / 3, .1, kLongestModelled));
  CHECK(figures.speedups[5] == expected_speedup(2.0 / 3, 5, .1));
}

TEST_CASE("without rounds there are no figures, and the report says so") {
  const Recorded none(0);
  const World before = none.after_step(1);
  const Rounds rounds = none.rounds(before);
  const SpeculationFigures figures = speculation_figures(rounds, .1);
  CHECK(figures.rounds == 0);
  CHECK(speculation_report(rounds, figures, before, .1, 20) ==
        "Guesses: an oracle that knows the answer, at most 5 a round.\nNo round is over yet.\n");
  CHECK(speculation_report(rounds, figures, World{}, .1, 20) == "Nothing is guessed in this run.\n");
}

TEST_CASE("a long run's report shows the newest rounds and counts the others") {
  const Recorded none(0);
  const World end = none.trace.newest();
  const Rounds rounds = none.rounds(end);
  const std::string text = speculation_report(rounds, speculation_figures(rounds, .1), end, .1, 2);
  CHECK_THAT(text, contains("... " + std::to_string(rounds.size() - 2) + " earlier rounds\n"));
  CHECK_THAT(text, contains("it is best not to guess"));
}
