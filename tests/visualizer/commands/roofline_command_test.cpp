#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("roofline prints what prefill and decode wait for") {
  const Outcome outcome = run_kvarium("roofline --model llama-3.1-8b --hardware h100sxm --batch 1 --context 4096");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("GQA 4:1, 8.03 billion parameters"));
  CHECK_THAT(outcome.out, contains("First token after 62.2 ms at least, then one each 4.64 ms"));
  CHECK(outcome.error.empty());
}

TEST_CASE("roofline with other heads and formats") {
  const Outcome outcome =
      run_kvarium("roofline --model llama-2-7b --heads mla --kv-type fp8 --weights-type int4 --batch 8 --context 100");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("(MLA, "));
  CHECK_THAT(outcome.out, contains("8 x 100 tokens; weights in int4, K and V in fp8"));
}

TEST_CASE("roofline says in one line what is wrong, and returns 2") {
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"roofline --model no-such-model", "no-such-model"},
           {"roofline --hardware abacus", "H100 SXM"},
           {"roofline --heads round", "mha, gqa, mqa, mla"},
           {"roofline --model falcon-7b --heads gqa", "71 query heads, as falcon-7b has, make no groups of one size"},
           {"roofline --batch 0", "from 1 to 1000000"},
           {"roofline --batch -1", "-1"},
           {"roofline --context 0", "from 1 to 1000000000"},
           {"roofline --context 1e6", "1e6"},
           {"roofline --kv-type fp17", "fp17"},
           {"roofline --weights-type fp17", "fp17"},
           {"roofline extra", "extra"},
       }) {
    check_refused(arguments, part);
  }
}
