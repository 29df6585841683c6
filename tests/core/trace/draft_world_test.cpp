// What events of speculation do to a World, what it refuses, and what is said of them.

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
using Sentences = std::vector<std::string>;

/// prefilled_world(): A has a prompt of 6 tokens, K and V of all of them in blocks 7 and 3 of 4 slots. Then a token,
/// and a draft of two.
World drafted_world() {
  World world = prefilled_world();
  fold_all(world, {TokenSampled{kA, 6, TokenId{1}}, StepStarted{world.step + 1},
                   DraftProposed{kA, 7, ids({2, 3}), {.5, 1}, {.flops = 9}}});
  return world;
}
World judged_world(bool first, bool second) {
  World world = drafted_world();
  fold_all(world, {BlockAllocated{kA, world.free_blocks.front()}, KvComputed{kA, 6, 3, Phase::decode, true},
                   DraftVerified{kA, 7, TokenId{2}, .4, .1, first}});
  if (first) fold(world, DraftVerified{kA, 8, TokenId{3}, .2, .3, second});
  return world;
}
void check_refused(const World& before, const Event& event, const std::string& why) {
  World world = before;
  CHECK_THROWS_WITH(fold(world, event), contains(why));
  CHECK(world == before);
}

}  // namespace

TEST_CASE("a round is kept until the next step begins") {
  World world = judged_world(true, false);
  const DraftRound round = *world.request(kA).round;
  CHECK(round.accepted() == 1);
  CHECK(round.trials.back().u == .3);
  CHECK(world.speculation.work.flops == 9);
  fold(world, TokenRecovered{kA, 8, TokenId{4}, .6});
  CHECK(world.request(kA).round->next == TokenId{4});
  CHECK(world.speculation.with_accepted == std::vector<std::uint64_t>{0, 1});
  fold(world, StepStarted{world.step + 1});
  CHECK_FALSE(world.request(kA).round);
}

TEST_CASE("drafts may be computed while the round goes on, and must be taken back by its end") {
  World world = judged_world(true, false);
  CHECK(violations(world) == Sentences{});
  fold_all(world, {TokenRecovered{kA, 8, TokenId{4}, .6}, TokenSampled{kA, 7, TokenId{2}}});
  World forgotten = world;
  fold(forgotten, StepTimed{1, true});
  CHECK(violations(forgotten) == Sentences{"Request A has K and V of 9 tokens, and only 8 tokens."});
  fold_all(world, {TokenSampled{kA, 8, TokenId{4}}, RolledBack{kA, 8}, StepTimed{1, true}});
  CHECK(violations(world) == Sentences{});
}

TEST_CASE("a block with K and V of a rejected draft must not be found") {
  World world = judged_world(false, false);
  fold_all(world, {BlockCached{kA, BlockId{3}, 1, {1, 2}}, RolledBack{kA, 7}});
  CHECK(violations(world) ==
        Sentences{"Block 3 can be found, but some of its K and V are of drafts that request A took back."});
}

TEST_CASE("the draft model's cache follows the tokens") {
  World world = drafted_world();
  fold(world, DraftKvComputed{kA, 0, 8});
  CHECK(world.request(kA).draft_cached == 8);
  CHECK(violations(world) == Sentences{});
  fold(world, DraftKvRolledBack{kA, 6});
  CHECK(world.request(kA).draft_cached == 6);
  fold(world, DraftKvComputed{kA, 6, 9});
  CHECK(violations(world) == Sentences{"The draft model keeps K and V of 15 tokens of request A, which has 7."});
}

TEST_CASE("events that cannot follow are refused") {
  const World world = drafted_world();
  check_refused(prefilled_world(), DraftProposed{kA, 5, ids({2}), {1}, {}}, "the position of the first draft");
  check_refused(prefilled_world(), DraftProposed{kA, 6, ids({2}), {}, {}}, "without a probability each");
  check_refused(prefilled_world(), DraftProposed{kA, 6, ids({2}), {1.5}, {}}, "no probability");
  for (const std::vector<std::uint32_t>& parents : {std::vector<std::uint32_t>{0, 0}, {0, 2, 0}, {1, 0, 0}}) {
    check_refused(prefilled_world(), DraftProposed{kA, 6, ids({2, 3}), {1, 1}, {}, parents}, "parents are no tree");
  }
  check_refused(prefilled_world(), DraftProposed{kA, 6, ids({2, 2}), {1, 1}, {}, {0, 0, 0}}, "the same draft twice");
  check_refused(prefilled_world(), DraftVerified{kA, 6, TokenId{2}, 1, 0, true}, "no drafts to judge");
  check_refused(world, DraftProposed{kA, 7, ids({2}), {1}, {}}, "drafts in this step already");
  check_refused(world, DraftVerified{kA, 8, TokenId{2}, 1, 0, true}, "the position of the draft");
  check_refused(world, DraftVerified{kA, 7, TokenId{9}, 1, 0, true}, "another token is judged");
  check_refused(world, DraftVerified{kA, 7, TokenId{2}, -1, 0, true}, "no probability");
  check_refused(world, TokenRecovered{kA, 7, TokenId{2}, 1}, "takes the place of no rejected draft");
  check_refused(world, BonusSampled{kA, 7, TokenId{2}, 1}, "not every draft was accepted");
  check_refused(judged_world(false, false), DraftVerified{kA, 7, TokenId{3}, 1, 0, true}, "no draft is left");
  check_refused(judged_world(false, false), BonusSampled{kA, 7, TokenId{2}, 1}, "not every draft was accepted");
  check_refused(judged_world(true, true), TokenRecovered{kA, 9, TokenId{2}, 1}, "no rejected draft");
  check_refused(world, DraftKvComputed{kA, 1, 2}, "behind a gap");
  check_refused(world, DraftKvComputed{kA, 0, 0}, "of no position");
  check_refused(world, DraftKvRolledBack{kA, 1}, "keeps more tokens than it has");
}

TEST_CASE("each event is a sentence") {
  World world = drafted_world();
  fold_all(world, {TokenNamed{TokenId{2}, "cat"}, TokenNamed{TokenId{3}, " sat"}});
  const auto says = [&](const Event& event) { return describe(event, world); };
  CHECK(says(SpeculationDescribed{"a small model", 5}) ==
        "Tokens are guessed ahead, at most 5 a round: a small model.");
  CHECK(says(DraftProposed{kA, 7, ids({2, 3}), {1, 1}, {}}) ==
        "A draft for request A: \"cat\" \" sat\" may come next, from position 7 on.");
  CHECK(says(DraftVerified{kA, 7, TokenId{2}, .4, .1, true}) ==
        "Draft \"cat\" at position 7 of request A is accepted: p 0.400, q 0.500, u 0.100.");
  CHECK(says(DraftVerified{kA, 7, TokenId{2}, .2, .55, false}) ==
        "Draft \"cat\" at position 7 of request A is rejected: p 0.200, q 0.500, u 0.550.");
  CHECK(says(TokenRecovered{kA, 7, TokenId{3}, .667}) ==
        "In its place comes \" sat\", drawn with probability 0.667 from what the target has more of.");
  CHECK(says(BonusSampled{kA, 9, TokenId{3}, .25}) ==
        "Every draft was accepted: \" sat\" comes on top, with probability 0.250.");
  CHECK(says(DraftKvComputed{kA, 0, 8}) ==
        "The draft model computes K and V of 8 tokens of request A, from position 0 on, for its own cache.");
  CHECK(says(DraftKvRolledBack{kA, 6}) == "The draft model's own cache of request A is rolled back to 6 tokens.");
}

TEST_CASE("each event of a tree is a sentence") {
  World world = prefilled_world();
  fold_all(world, {TokenSampled{kA, 6, TokenId{1}}, StepStarted{world.step + 1},
                   DraftProposed{kA, 7, ids({2, 3}), {1, 1}, {}, {0, 0, 0}}, TokenNamed{TokenId{2}, "cat"},
                   TokenNamed{TokenId{3}, "dog"}});
  const auto says = [&](const Event& event) { return describe(event, world); };
  CHECK(says(DraftProposed{kA, 7, ids({2, 3}), {1, 1}, {}, {0, 0, 0}}) ==
        "A tree of 2 candidates for request A, from position 7 on: \"cat\" \"dog\".");
  CHECK(says(KvComputed{kA, 6, 3, Phase::decode, true}) ==
        "Decode: K and V of the newest token of request A and of 2 candidates are computed and kept, in the places of "
        "positions 6 to 8.");
  CHECK(says(DraftVerified{kA, 7, TokenId{3}, .3, .6, true}) ==
        "Candidate \"dog\" at position 7 of request A is what the target says: p 0.300, drawn by u 0.600.");
  CHECK(says(DraftVerified{kA, 7, TokenId{2}, .3, .9, false}) ==
        "Candidate \"cat\" at position 7 of request A is not what the target says, nor is any other there: p 0.300, "
        "drawn by u 0.900.");
  CHECK(says(TokenRecovered{kA, 7, TokenId{2}, .5}) ==
        "The target says none of the candidates there, but \"cat\", with probability 0.500.");
  CHECK(says(BonusSampled{kA, 8, TokenId{2}, .5}) ==
        "The path ends there: \"cat\" comes on top, with probability 0.500.");
  CHECK(says(DraftPathMoved{kA, {2}}) ==
        "K and V of the accepted candidates of request A move to the front, from places 2 of the tree.");
}

TEST_CASE("the text twin tells of drafts") {
  World world = judged_world(true, false);
  fold_all(world, {SpeculationDescribed{"a small model", 2}, DraftKvComputed{kA, 0, 8},
                   TokenRecovered{kA, 8, TokenId{4}, .6}});
  const std::string text = text_twin(world);
  CHECK_THAT(text, contains("drafts: a small model, at most 2 a round\n"));
  CHECK_THAT(text, contains("1 rounds: 1 of 2 drafts accepted, 2.00 tokens a round"));
  CHECK_THAT(text, contains("; 1 of 2 drafts accepted; 8 tokens in the draft model's cache"));
}
