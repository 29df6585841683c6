#include <algorithm>

#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("beam prints as many answers as it is wide, the best first, and what they share") {
  const Outcome outcome = run_kvarium("beam --prompt 'Once upon a time' --width 3 --tokens 12 --block-size 4");
  REQUIRE(outcome.exit_code == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 3);
  CHECK(outcome.out.rfind("score", 0) == 0);
  CHECK_THAT(outcome.out, contains("Once upon a time"));
  CHECK_THAT(outcome.error, contains("blocks held"));
  CHECK_THAT(outcome.error, contains("copy on write: "));
}

TEST_CASE("one beam is the greedy answer") {
  const Outcome beam = run_kvarium("beam --prompt 'Once upon a time' --width 1 --tokens 12");
  const Outcome greedy = run_kvarium("generate --prompt 'Once upon a time' --tokens 12");
  REQUIRE(beam.exit_code == 0);
  const std::string answer = greedy.out.substr(0, greedy.out.find('\n'));
  CHECK_THAT(beam.out, contains(answer));
}

TEST_CASE("beam refuses what it cannot do in one line") {
  const auto refused = [](const std::string& flags) {
    const Outcome outcome = run_kvarium("beam " + flags);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
    return outcome.error;
  };
  CHECK_THAT(refused(""), contains("--prompt is required"));
  CHECK_THAT(refused("--prompt a --width 0"), contains("no whole number from 1 to 256"));
  CHECK_THAT(refused("--prompt a --length-penalty nan"), contains("no number from -10 to 10"));
  CHECK_THAT(refused("--prompt a --blocks 1"), contains("but the pool has 1"));
  CHECK_THAT(refused("--prompt a --tokens 100000"), contains("the context has"));
}
