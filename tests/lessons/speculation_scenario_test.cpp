// S06: the worked rollback, on a real model.

#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

constexpr RequestId kA{0};

using Set = std::vector<std::string>;

World after_first_round(const std::string& accepted) { return Run("S06", Set{"accepted=" + accepted}).after_step(2); }

std::vector<TokenId> answer(const Set& set) {
  const Run run("S06", set);
  run.after_steps();  // checks the invariants
  return run.end().request(kA).tokens;
}

}  // namespace

TEST_CASE("S06: before the drafts, K and V of 10 tokens are in blocks 7, 3 and 12") {
  const World world = Run("S06").after_step(1);
  CHECK(show_table(world, kA) == "[7,3,12] 10 tokens");
  CHECK(world.request(kA).tokens.size() == 11);
  CHECK(world.free_blocks.front() == BlockId{5});
}

TEST_CASE("S06: of five drafts none is accepted, or one: block 5 returns") {
  CHECK(show_table(after_first_round("0"), kA) == "[7,3,12] 11 tokens");
  const World one = after_first_round("1");
  CHECK(show_table(one, kA) == "[7,3,12] 12 tokens");
  CHECK(one.blocks[5].ref_count == 0);
  CHECK(one.blocks[5].written == 4);  // four stale slots
  CHECK(one.request(kA).tokens.size() == 13);
}

TEST_CASE("S06: two are accepted: block 5 stays, with three stale slots") {
  const World two = after_first_round("2");
  CHECK(show_table(two, kA) == "[7,3,12,5] 13 tokens");
  CHECK(two.blocks[5].written - filled_slots(two, two.request(kA), 3) == 3);
}

TEST_CASE("S06: all five are accepted: 16 tokens that count, and the bonus token") {
  const World five = after_first_round("5");
  CHECK(show_table(five, kA) == "[7,3,12,5] 16 tokens");
  CHECK(five.request(kA).tokens.size() == 17);
  CHECK(five.speculation.accepted == 5);
}

TEST_CASE("S06: the answer is the same, whoever guesses and however well") {
  const std::vector<TokenId> expected = answer({"accepted=0"});
  CHECK(answer({"accepted=5"}) == expected);
  CHECK(answer({"proposer=ngram"}) == expected);
  CHECK(answer({"proposer=draft", "draft_length=3"}) == expected);
  CHECK(answer({"proposer=medusa", "draft_length=4"}) == expected);
  CHECK(answer({"proposer=medusa-tree", "draft_length=8"}) == expected);
  CHECK(answer({"proposer=draft", "prefix_cache=radix"}) == expected);
}

TEST_CASE("S06: a draft model samples with the target, and the invariants hold") {
  const Run run("S06", Set{"proposer=draft", "temperature=0.8"});
  run.after_steps();
  CHECK(run.count<DraftVerified>() > 0);
  CHECK(run.count<DraftKvComputed>() > 0);
}

TEST_CASE("S06: the oracle has no answer to foresee where tokens are drawn") {
  CHECK_THROWS_WITH(Run("S06", Set{"temperature=0.8"}), contains("temperature 0"));
}

TEST_CASE("your own prompt: nobody guesses unless asked, and greedily the answer is the same whoever does") {
  const auto own = [](const std::string& proposer) {
    return Run("own", Set{"temperature=0", "num_requests=1", "new_tokens=16", "proposer=" + proposer});
  };
  const Run plain = own("none");
  CHECK(plain.end().proposer.empty());
  for (const char* proposer : {"ngram", "draft", "medusa", "medusa-tree"}) {
    INFO(proposer);
    const Run run = own(proposer);
    run.after_steps();
    CHECK_FALSE(run.end().proposer.empty());
    CHECK(run.end().request(kA).tokens == plain.end().request(kA).tokens);
  }
}

TEST_CASE("your own prompt: a small model guesses for several answers at once, and the invariants hold") {
  const Run run("own", Set{"proposer=draft", "num_requests=2", "candidates=2", "new_tokens=12"});
  run.after_steps();
  CHECK(run.end().speculation.rounds > 0);
  CHECK_THROWS_WITH(Run("own", Set{"proposer=oracle"}), contains("none, ngram, draft, medusa"));
}
