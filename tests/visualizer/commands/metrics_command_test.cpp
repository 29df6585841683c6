// kvarium metrics, as a person runs it.

#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("metrics prints a page, a row a step, a row a request, or Prometheus' text") {
  const Outcome page = run_kvarium("metrics --scenario S02 --step 1");
  CHECK(page.exit_code == 0);
  CHECK(page.error.empty());
  CHECK_THAT(page.out, contains("Slots held: 24 of 128 (18.8 %)"));
  CHECK_THAT(page.out, contains("Of those empty (fragmentation): 7 (29.2 %)"));
  const Outcome steps = run_kvarium("metrics --scenario S02 --csv steps");
  CHECK(std::count(steps.out.begin(), steps.out.end(), '\n') == 50);  // a header, steps 0 to 48
  CHECK_THAT(steps.out, contains("step,time_ms,time_simulated,running"));
  CHECK_THAT(run_kvarium("metrics --scenario S02 --csv requests").out, contains("\nA,,finished,17,"));
  CHECK_THAT(run_kvarium("metrics --scenario S02 --prometheus").out,
             contains("# TYPE vllm:time_to_first_token_seconds histogram"));
}

TEST_CASE("metrics says in one line what is wrong, and returns 2") {
  check_refused("metrics", "a trace file, --scenario");
  check_refused("metrics /no/such/file", "/no/such/file");
  check_refused("metrics --scenario S02 --csv tokens", "there are steps and requests");
  check_refused("metrics --scenario S02 --csv steps --prometheus", "--prometheus");
  check_refused("metrics --scenario S99", "S02 (paging-17)");
  check_refused("metrics --scenario S02 --step 99", "there are steps 0 to 48");
  check_refused("metrics x.jsonl --scenario S02", "--scenario");
}

TEST_CASE("text compares two runs of a scenario at the same step") {
  const Outcome outcome = run_kvarium("text --scenario S02 --compare block_size=16 --step 10");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.empty());
  CHECK_THAT(outcome.out, contains("step 10  block_size=16, step 10  difference"));
  CHECK_THAT(outcome.out, contains("blocks in use              4        2"));
  check_refused("text --scenario S02 --compare colour=3", "it has prompt_tokens");
  check_refused("text --scenario S02 --compare block_size", "sets nothing");
  check_refused("text --lesson 04 --compare block_size=4", "--scenario");
  check_refused("view --scenario S02 --compare colour=3", "cannot be compared; there are: ");
  check_refused("view --scenario S02 --compare block_size=0", "block_size");
  check_refused("view --scenario S02", "give --screenshot, --dump-ui or --script with a file");
}
