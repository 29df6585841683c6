// kvarium why, as a person runs it.

#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("why tells of each block of a prompt in a sentence") {
  const Outcome outcome = run_kvarium("why --scenario S02 --request A");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.empty());
  CHECK_THAT(outcome.out,
             contains("Request A started in step 1: 0 of its 17 tokens were found in the prefix cache.\n"));
  CHECK_THAT(outcome.out, contains("Tokens 0 to 16: This engine has no prefix cache.\n"));
  CHECK(run_kvarium("why --scenario S02 --block 3").out == "Block 3 was not evicted.\n");
  CHECK_THAT(run_kvarium("why --scenario S02 --request A --step 0").out, contains("has not been admitted yet"));
}

TEST_CASE("why says in one line what is wrong, and returns 2") {
  check_refused("why --scenario S02", "--request LETTER or --block NUMBER");
  check_refused("why --request A", "a trace file, --scenario");
  check_refused("why --scenario S02 --request Z", "there are requests A to A");
  check_refused("why --scenario S02 --request 7", "write its letter");
  check_refused("why --scenario S02 --block 99", "the pool has 16 blocks");
  check_refused("why --scenario S02 --block -1", "-1");
  check_refused("why --scenario S02 --request A --block 1", "--block");
  check_refused("why /no/such/file --request A", "/no/such/file");
}
