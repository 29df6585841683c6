
#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("text says what S02 looks like after its first step and after step 40") {
  const Outcome first = run_kvarium("text --scenario S02 --step 1");
  CHECK(first.exit_code == 0);
  CHECK(first.error.empty());
  CHECK_THAT(first.out, contains("table [7,3,12] 17 tokens, 7 of 24 slots empty (29.2 %)"));
  CHECK_THAT(first.out, contains("free 5 9 14 1 10 0 15 6 2 13 8 4 11 | used 3x1 7x1 12x1"));
  CHECK_THAT(first.out, contains("16 / 8 = 2 -> table[2] = 12 -> 12 * 8 + 16 % 8 = 96"));
  const Outcome later = run_kvarium("text --scenario S02 --step 40");
  CHECK(later.exit_code == 0);
  CHECK_THAT(later.out, contains("table [7,3,12,5,9,14,1] 56 tokens, 0 of 56 slots empty"));
  CHECK(run_kvarium("text --scenario S02 --step 48").out == run_kvarium("text --scenario paging-17").out);
}

TEST_CASE("text shows the work of S01 that the lesson talks about") {
  const Outcome outcome = run_kvarium("text --scenario S01");
  CHECK_THAT(outcome.out, contains("92 K/V projections, 596 score products"));
  CHECK_THAT(outcome.out, contains("15 K/V projections, 120 score products"));
}

TEST_CASE("text goes to any event") {
  CHECK_THAT(run_kvarium("text --scenario S02 --event 0").out, contains("step 0, event 0"));
  CHECK_THAT(run_kvarium("text --scenario S02 --event 40").out, contains("event 40"));
}

TEST_CASE("text says in one line what is wrong, and returns 2") {
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"text", "--scenario"},
           {"text --scenario S02 --set block_size=0", "block_size (Block size (tokens)) is 0; it must be 1 to 784"},
           {"text --scenario S02 --set num_blocks=0", "num_blocks"},
           {"text --scenario S02 --set block_size=-8", "block_size: \"-8\" is no number"},
           {"text --scenario S02 --set colour=3", "it has prompt_tokens, new_tokens, block_size, num_blocks, seed"},
           {"text --scenario S02 --set block_size", "sets nothing"},
           {"text --lesson 99", "04_paged_blocks"},
           {"text --trace /no/such/file", "/no/such/file"},
           {"text --scenario S99", "S01 (why-cache), S02 (paging-17), S03 (fork-cow)"},
           {"text --scenario S02 --step 49", "there are steps 0 to 48"},
           {"text --scenario S02 --step -1", "-1"},
           {"text --scenario S02 --step two", "two"},
           {"text --scenario S02 --event 999999", "events"},
           {"text --scenario S02 --event 1 --step 1", "--step"},
           {"text --scenario S02 --colour", "--colour"},
       }) {
    check_refused(arguments, part);
  }
}

TEST_CASE("text runs a scenario with other parameters, and a lesson with its words") {
  const Outcome changed = run_kvarium("text --scenario S02 --set block_size=4 --set prompt_tokens=9 --step 1");
  CHECK_THAT(changed.out, contains("table [7,3,12] 9 tokens, 3 of 12 slots empty"));
  CHECK_THAT(run_kvarium("text --lesson 04").out, contains("> To remember: the cache is cut into blocks"));
}

TEST_CASE("text of scenario S08 also has the six models that no engine runs") {
  const Outcome outcome = run_kvarium("text --scenario heads --step 1");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("llama-2-7b     MHA          512 KiB       16.0 GiB     1.0\n"));
  CHECK_THAT(outcome.out, contains("wrong  2 * 61 * 512 * 2 = 122 KiB"));
  CHECK_THAT(outcome.out, contains("32.0 FLOP a byte: llama-2-7b with one KV head for all its 32 query heads"));
}
