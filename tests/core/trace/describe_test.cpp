#include "core/trace/describe.h"

#include "core/error.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};

}  // namespace

TEST_CASE("every event is a sentence") {
  const World world = prefilled_world();
  const auto says = [&world](const Event& event) { return describe(event, world); };
  CHECK(says(ModelDescribed{{.name = "tiny", .layers = 2, .query_heads = 4, .kv_heads = 2, .head_dim = 8}}) ==
        "The model is tiny: 2 layers, 4 query heads, 2 KV heads of 8 numbers each.");
  CHECK(says(PoolCreated{4, blocks({0, 1})}) == "A pool of 2 blocks of 4 tokens each is made.");
  CHECK(says(ArenaCreated{64}) == "A contiguous pool of 64 slots is made.");
  CHECK(says(SchedulerDescribed{"static batching", true}) == "Who is served when: static batching.");
  CHECK(says(TokenNamed{TokenId{7}, " cat\n"}) == "Token 7 is written \" cat<0x0A>\".");
  CHECK(says(RequestArrived{kA, tokens(6), 3}) == "Request A arrives: a prompt of 6 tokens, at most 3 new ones.");
  CHECK(says(RequestAdmitted{kA}) == "Request A is admitted: it runs from now on.");
  CHECK(says(RequestPreempted{kA, 6}) ==
        "Request A is preempted: it waits again, and 6 tokens must be computed again.");
  CHECK(says(RequestFinished{kA, FinishReason::end_of_sequence}) == "Request A is finished: the model ended the text.");
  CHECK(says(RequestFinished{kA, FinishReason::max_tokens}) ==
        "Request A is finished: it has as many new tokens as were asked for.");
  CHECK(says(RequestFinished{kA, FinishReason::stop_string}) == "Request A is finished: a stop string appeared.");
  CHECK(says(RequestFinished{kA, FinishReason::context_full}) == "Request A is finished: the model's context is full.");
  CHECK(says(RequestAborted{kA}) == "Request A is aborted.");
  CHECK(says(BlockAllocated{kA, BlockId{0}}) == "Request A takes block 0 as its logical block 2.");
  CHECK(says(BlockShared{kA, BlockId{0}, 2}) ==
        "Request A shares block 0 as its logical block 2: its ref count is 2 now.");
  CHECK(says(BlockReleased{kA, BlockId{3}, 0}) == "Request A gives back block 3: it joins the end of the free queue.");
  CHECK(says(BlockReleased{kA, BlockId{3}, 1}) == "Request A lets go of block 3: its ref count is 1 now.");
  CHECK(says(BlockReleased{kA, BlockId{3}, 0, QueuePlace::head}) ==
        "Request A gives back block 3: it joins the head of the free queue.");
  CHECK(says(BlockReleased{kA, BlockId{3}, 0, QueuePlace::behind_last_head}) ==
        "Request A gives back block 3: it joins the free queue behind the block before.");
  CHECK(says(BlockReused{kA, BlockId{0}}) ==
        "Request A takes block 0 out of the free queue as its logical block 2: what it needs is still in it.");
  CHECK(says(BlockCached{kA, BlockId{7}, 0, {1, 0x12345678ABCU}}) ==
        "Block 7, logical block 0 of request A, is full: from now on it is found by its hash 45678abc.");
  CHECK(says(BlockEvicted{kA, BlockId{7}, {1, 2}}) ==
        "Block 7 is evicted from the prefix cache to make room for request A: hash 00000002 is forgotten.");
  CHECK(says(PrefixMatched{kA, 9, 8}) ==
        "Of the 9 tokens of request A, K and V of the first 8 are in the cache already.");
  CHECK(says(RequestForked{RequestId{1}, kA}) ==
        "Request B is forked from A: it has the same tokens and shares all blocks.");
  CHECK(says(RequestPreempted{kA, 0}) == "Request A is preempted: it waits again.");
  CHECK(says(KvSwappedOut{kA, 6, 96}) ==
        "K and V of 6 tokens of request A, 96 bytes, are copied to the memory of the host.");
  CHECK(says(KvSwappedIn{kA, 6, 96}) ==
        "K and V of 6 tokens of request A, 96 bytes, are copied back from the memory of the host.");
  CHECK(says(BlockCopied{kA, 1, BlockId{3}, BlockId{5}, 2}) ==
        "Request A is about to write into block 3, which others hold too: its 2 tokens are copied into block 5.");
  CHECK(says(BlockReplaced{kA, 1, BlockId{3}, BlockId{5}}) ==
        "Block 5 of the tree takes the place of block 3 in the table of request A: both hold the same.");
  CHECK(says(BlockExpired{BlockId{3}, {1, 2}}) == "Nobody used block 3 for too long: its hash 00000002 is forgotten.");
  CHECK(says(RadixTreeCreated{}) == "A radix tree is made to keep prefixes in; it is empty.");
  CHECK(says(RadixNodeInserted{NodeId{1}, NodeId{0}, tokens(4), blocks({7}), ""}) ==
        "Node 1 of 4 tokens joins the radix tree below node 0.");
  CHECK(says(RadixNodeSplit{NodeId{2}, NodeId{1}, 4}) == "Node 1 is cut in two: its first 4 tokens are node 2 now.");
  CHECK(says(RadixNodeRemoved{NodeId{1}}) == "Node 1 is evicted from the radix tree.");
  CHECK(says(RadixPathUsed{NodeId{1}}) == "Node 1 and all above it were used.");
  CHECK(says(RadixPathLocked{NodeId{1}}) == "Node 1 and all above it are locked: they cannot be evicted.");
  CHECK(says(RadixPathUnlocked{NodeId{1}}) == "Node 1 and all above it lose a lock.");
  CHECK(says(TimePassed{1500000, true}) == "Nothing is to be done for 1.500 ms.");
  CHECK(says(PrefixCacheReset{}) == "The prefix cache is emptied: no block is found any more.");
  CHECK(says(RegionReserved{kA, 8, 64}) == "Request A reserves 64 slots from slot 8 on.");
  CHECK(says(RegionReleased{kA}) == "Request A gives back its slots.");
  CHECK(says(StepStarted{2}) == "Step 2 starts.");
  CHECK(says(KvComputed{kA, 0, 6, Phase::prefill, true}) ==
        "Prefill: K and V of positions 0 to 5 of request A are computed and kept.");
  CHECK(says(KvComputed{kA, 6, 1, Phase::decode, true}) ==
        "Decode: K and V of position 6 of request A are computed and kept.");
  CHECK(says(KvComputed{kA, 0, 6, Phase::decode, false}) ==
        "K and V of positions 0 to 5 of request A are computed and thrown away.");
  CHECK(says(KvRead{kA, 6}) == "The newest token of request A reads K and V of 6 positions.");
  CHECK(says(TokenSampled{kA, 6, TokenId{100}}) == "Request A gets its next token, \"#100\", at position 6.");
  CHECK(says(RolledBack{kA, 4}) == "Request A is rolled back to 4 tokens: K and V of 2 positions are stale.");
  CHECK(says(WorkCounted{kA, {1, 2, 3, 4}}) ==
        "That cost 1 K/V projections, 2 score products, 3 bytes read and 4 FLOP for request A.");
  CHECK(says(StepTimed{1500000, false}) == "The step took 1.500 ms.");
  CHECK(says(StepTimed{1500000, true}) == "The step takes 1.500 ms, says the cost model.");
  CHECK(says(LessonStarted{"Paged blocks"}) == "Lesson: Paged blocks");
  CHECK(says(Said{"Look.", {}}) == "Look.");
  CHECK(says(Asked{"How many?", {}, "3"}) == "How many?");
}

TEST_CASE("the events of a trace are described with the world before each") {
  Trace trace;
  for (const Event& event : prefill_events()) trace.emit(event);
  CHECK(describe(trace, 4, 6) == std::vector<std::string>{"Request A takes block 7 as its logical block 0.",
                                                          "Request A takes block 3 as its logical block 1."});
  CHECK_THROWS_AS(describe(trace, 4, 9), MisuseError);
}

TEST_CASE("a token cannot command the terminal") {
  World world = prefilled_world();
  fold(world, TokenNamed{TokenId{100}, "\x1B[2J"});
  CHECK(describe(TokenSampled{kA, 6, TokenId{100}}, world) ==
        "Request A gets its next token, \"<0x1B>[2J\", at position 6.");
  CHECK_THAT(text_twin(world, kA), contains("[<0x1B>[2J]"));
}

TEST_CASE("the pool and a table on one line") {
  World world;
  CHECK(show_pool(world) == "free | used");
  world = prefilled_world();
  CHECK(show_pool(world) == "free 0 1 2 4 5 6 | used 3x1 7x1");
  CHECK(show_table(world, kA) == "[7,3] 6 tokens");
  CHECK_THROWS_AS(show_table(world, RequestId{1}), MisuseError);
}

TEST_CASE("the arithmetic from a position to its slot") {
  const World world = prefilled_world();
  CHECK(show_slot(world, kA, 5) == "position 5: 5 / 4 = 1 -> table[1] = 3 -> 3 * 4 + 5 % 4 = 13");
  CHECK(show_slot(world, kA, 8) == "position 8 of request A has no slot");
  const World contiguous =
      world_of({ArenaCreated{20}, RequestArrived{kA, tokens(3), 3}, RequestAdmitted{kA}, RegionReserved{kA, 8, 6}});
  CHECK(show_slot(contiguous, kA, 2) == "position 2: 8 + 2 = 10");
  CHECK(show_slot(contiguous, kA, 6) == "position 6 of request A has no slot");
}

TEST_CASE("the text twin says all of a small state") {
  World world = prefilled_world();
  fold_all(world, {WorkCounted{kA, {6, 21, 1234567, 9}}, Said{"A's prompt fills a block and a half.", {}}});
  CHECK(
      text_twin(world) ==
      "step 1, event 10\n"
      "pool: 2 of 8 blocks of 4 tokens in use\n"
      "  free 0 1 2 4 5 6 | used 3x1 7x1\n"
      "requests: 1\n"
      "  A running: prompt 6, generated 0 of 3; table [7,3] 6 tokens, 2 of 8 slots empty (25.0 %); this step computed "
      "6 positions from 0 on; read 6 positions\n"
      "work: 6 K/V projections, 21 score products, 1,234,567 bytes read, 9 FLOP\n"
      "invariants: 28 of 28 hold\n"
      "> A's prompt fills a block and a half.\n");
}

TEST_CASE("the text twin of one request shows its tokens and where the newest cached one lies") {
  World world = prefilled_world();
  fold(world, TokenNamed{TokenId{100}, "Once"});
  CHECK(text_twin(world, kA) ==
        "A running: prompt 6, generated 0 of 3; table [7,3] 6 tokens, 2 of 8 slots empty (25.0 %); this step computed "
        "6 positions from 0 on; read 6 positions\n"
        "tokens: [Once][#101][#102][#103][#104][#105]\n"
        "position 5: 5 / 4 = 1 -> table[1] = 3 -> 3 * 4 + 5 % 4 = 13\n"
        "work: 0 K/V projections, 0 score products, 0 bytes read, 0 FLOP\n");
}

TEST_CASE("the text twin of a state that is wrong says what is wrong") {
  World world = prefilled_world();
  fold(world, RequestAborted{kA});
  CHECK_THAT(text_twin(world),
             contains("invariants: 27 of 28 hold\n  ! Request A does not run, yet it holds 8 slots.\n"));
}

TEST_CASE("long lists are cut, and the text says how much is left out") {
  std::vector<BlockId> order;
  for (std::uint32_t id = 0; id < 17448; ++id) order.push_back(BlockId{id});
  World world = world_of({PoolCreated{16, order}});
  CHECK_THAT(text_twin(world), contains("62 63 ... 17,384 more | used\n"));
  for (std::uint32_t id = 0; id < 50; ++id) fold(world, RequestArrived{RequestId{id}, tokens(1), 1});
  CHECK_THAT(text_twin(world), contains("... 10 more\n"));
}
