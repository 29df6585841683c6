#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("kernel lists what can be stepped through") {
  const Outcome outcome = run_kvarium("kernel --list");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("attention_decode: attention of a new token over the paged cache\n  warp_a_head:"));
  CHECK_THAT(outcome.out, contains("eleven-32: 11 keys, a whole warp"));
  CHECK(outcome.error.empty());
}

TEST_CASE("kernel shows scenario S11 after its first pass, and at its end") {
  const Outcome pass = run_kvarium("kernel --step 4");
  CHECK(pass.exit_code == 0);
  CHECK_THAT(pass.out, contains("emulated, no times; after 4 steps"));
  CHECK_THAT(pass.out, contains("at stop \"pass\""));
  CHECK_THAT(pass.out, contains("5  1.6462  8.1991\n"));
  CHECK_THAT(pass.out, contains("SIMT_PAUSE(\"pass\");"));
  const Outcome end = run_kvarium("kernel");
  CHECK_THAT(end.out, contains("68.75 %"));
  CHECK_THAT(end.out, contains("\nout: 8.195079; at most "));
}

TEST_CASE("kernel says in one line what is wrong, and returns 2") {
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"kernel --kernel softmix", "attention_decode, attention_prefill"},
           {"kernel --kernel rms_norm --rung x", "thread_a_token, warp_a_token, block_a_token"},
           {"kernel --problem x", "eleven-8, eleven-4, eleven-32"},
           {"kernel --by mile", "lane, warp, stop, phase, end"},
           {"kernel --step 10", "the kernel ends after 9 steps of the size stop"},
           {"kernel --step -1", "from 0 to 1000000"},
           {"kernel --block 1", "there is no block 1"},
           {"kernel --thread 8", "threads 0 to 7"},
           {"kernel extra", "extra"},
       }) {
    check_refused(arguments, part);
  }
}
