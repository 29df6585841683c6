// From a World to what is drawn of it, and the change between two pictures.

#include "tests/support/catch.h"
#include "visualizer/layout/animation.h"
#include "visualizer/layout/picture.h"
#include "visualizer/layout/target.h"

using namespace kvarium;
using namespace kvarium::ui;
using layout::SlotState;

namespace {

/// Pool of 4 blocks of 4, handed out 2, 0, 3, 1. A has 6 tokens, 5 of them computed, in blocks 2 and 0.
World small_world() {
  World world;
  fold(world, PoolCreated{4, {BlockId{2}, BlockId{0}, BlockId{3}, BlockId{1}}});
  fold(world, RequestArrived{RequestId{0}, std::vector<TokenId>(6), 4});
  fold(world, StepStarted{1});
  fold(world, RequestAdmitted{RequestId{0}});
  fold(world, BlockAllocated{RequestId{0}, BlockId{2}});
  fold(world, BlockAllocated{RequestId{0}, BlockId{0}});
  fold(world, KvComputed{RequestId{0}, 0, 4, Phase::prefill, true});
  fold(world, StepStarted{2});
  fold(world, KvComputed{RequestId{0}, 4, 1, Phase::prefill, true});
  fold(world, KvRead{RequestId{0}, 5});
  return world;
}

}  // namespace

TEST_CASE("A picture names each slot's state, what is new and what is read") {
  const layout::PoolPicture picture = layout::pool_picture(small_world());
  CHECK(picture.used == 2);
  CHECK(picture.allocated == 8);
  CHECK(picture.filled == 5);
  CHECK(picture.waste() == kvarium_test::Approx(3.0 / 8.0));
  const layout::BlockPicture& second = picture.blocks[0];
  CHECK(second.logical == 1);
  CHECK(slot_state(second, 0) == SlotState::filled);
  CHECK(slot_state(second, 1) == SlotState::reserved);
  CHECK(is_new(second, 0));
  CHECK_FALSE(is_new(second, 1));
  CHECK(second.read == 1);
  CHECK(picture.blocks[2].read == 4);
  CHECK_FALSE(is_new(picture.blocks[2], 0));
  CHECK(slot_state(picture.blocks[3], 0) == SlotState::free);
}

TEST_CASE("Slots that were rolled back are stale until they are written again") {
  World world = small_world();
  fold(world, RolledBack{RequestId{0}, 2});
  const layout::PoolPicture picture = layout::pool_picture(world);
  CHECK(slot_state(picture.blocks[2], 1) == SlotState::filled);
  CHECK(slot_state(picture.blocks[2], 3) == SlotState::stale);
  CHECK(slot_state(picture.blocks[0], 0) == SlotState::stale);
  CHECK(slot_state(picture.blocks[0], 1) == SlotState::reserved);
}

TEST_CASE("A shared block shows its owners") {
  World world = small_world();
  fold(world, RequestArrived{RequestId{1}, std::vector<TokenId>(5), 4});
  fold(world, BlockShared{RequestId{1}, BlockId{2}, 2});
  const layout::BlockPicture block = layout::pool_picture(world).blocks[2];
  CHECK(block.ref_count == 2);
  CHECK(block.owner_count == 2);
  CHECK(block.owners[1] == 1);
}

TEST_CASE("A free block that is found by its hash is cached, and shows whose tokens are in it") {
  World world = small_world();
  fold(world, BlockCached{RequestId{0}, BlockId{2}, 0, BlockHash{1, 2}});
  CHECK_FALSE(layout::pool_picture(world).blocks[2].cached);  // A still holds it
  fold(world, BlockReleased{RequestId{0}, BlockId{0}, 0});
  fold(world, BlockReleased{RequestId{0}, BlockId{2}, 0});
  const layout::PoolPicture picture = layout::pool_picture(world);
  CHECK(picture.used == 0);
  CHECK(picture.cached == 1);
  CHECK(picture.blocks[2].cached);
  CHECK(picture.blocks[2].filled == 4);
  CHECK(picture.blocks[2].source == 0);
  CHECK(slot_state(picture.blocks[2], 3) == SlotState::filled);
  CHECK_FALSE(picture.blocks[0].holds());
}

TEST_CASE("A block of the radix tree is cached once no request holds it; a lock on its node is seen") {
  World world = small_world();
  fold(world, RadixTreeCreated{});
  fold(world, RadixNodeInserted{NodeId{1}, NodeId{0}, std::vector<TokenId>(4), {BlockId{2}}, ""});
  fold(world, RadixPathLocked{NodeId{1}});
  const layout::BlockPicture held = layout::pool_picture(world).blocks[2];
  CHECK(held.in_tree);
  CHECK(held.locked);
  CHECK_FALSE(held.cached);
  CHECK(held.ref_count == 2);
  fold(world, BlockReleased{RequestId{0}, BlockId{0}, 0});
  fold(world, BlockReleased{RequestId{0}, BlockId{2}, 1});
  fold(world, RadixPathUnlocked{NodeId{1}});
  const layout::BlockPicture left = layout::pool_picture(world).blocks[2];
  CHECK(left.cached);
  CHECK_FALSE(left.locked);
  CHECK(resolve(world, Target::node(NodeId{1})).node == NodeId{1});
  CHECK_FALSE(resolve(world, Target::node(NodeId{9})).node);
}

TEST_CASE("A step's copies and evictions are shown in that step only") {
  Trace trace;
  trace.emit(PoolCreated{4, {BlockId{0}, BlockId{1}, BlockId{2}}});
  trace.emit(RequestArrived{RequestId{0}, std::vector<TokenId>(6), 4});
  trace.emit(StepStarted{1});
  trace.emit(RequestAdmitted{RequestId{0}});
  for (const std::uint32_t block : {0U, 1U}) trace.emit(BlockAllocated{RequestId{0}, BlockId{block}});
  trace.emit(KvComputed{RequestId{0}, 0, 6, Phase::prefill, true});
  trace.emit(RequestForked{RequestId{1}, RequestId{0}});
  trace.emit(StepStarted{2});
  trace.emit(BlockCopied{RequestId{0}, 1, BlockId{1}, BlockId{2}, 2});
  const auto picture = [&trace] {
    layout::PoolPicture made = layout::pool_picture(trace.newest());
    layout::add_step(made, trace, trace.newest(), World{});
    return made;
  };
  const layout::PoolPicture step = picture();
  REQUIRE(step.copies.size() == 1);
  CHECK(step.copies[0] == layout::CopyPicture{1, 2, 2});
  CHECK(step.blocks[1].copied);
  CHECK(step.blocks[2].copied);
  CHECK_FALSE(step.blocks[0].copied);
  trace.emit(StepStarted{3});
  CHECK(picture().copies.empty());
}

TEST_CASE("An evicted node of the tree marks the blocks that it held when the step started") {
  Trace trace;
  trace.emit(PoolCreated{1, {BlockId{0}, BlockId{1}}});
  trace.emit(RadixTreeCreated{});
  trace.emit(RequestArrived{RequestId{0}, std::vector<TokenId>(1), 1});
  trace.emit(StepStarted{1});
  trace.emit(RequestAdmitted{RequestId{0}});
  trace.emit(BlockAllocated{RequestId{0}, BlockId{0}});
  trace.emit(KvComputed{RequestId{0}, 0, 1, Phase::prefill, true});
  trace.emit(RadixNodeInserted{NodeId{1}, NodeId{0}, std::vector<TokenId>(1), {BlockId{0}}, ""});
  trace.emit(BlockReleased{RequestId{0}, BlockId{0}, 1});
  trace.emit(RequestFinished{RequestId{0}, FinishReason::max_tokens});
  trace.emit(StepStarted{2});
  CHECK_FALSE(layout::removes_nodes(trace, trace.newest()));
  trace.emit(RadixNodeRemoved{NodeId{1}});
  REQUIRE(layout::removes_nodes(trace, trace.newest()));
  layout::PoolPicture picture = layout::pool_picture(trace.newest());
  layout::add_step(picture, trace, trace.newest(), trace.world_at(trace.start_of_step(2)));
  CHECK(picture.blocks[0].evicted);
  CHECK_FALSE(picture.blocks[1].evicted);
}

TEST_CASE("A target is followed through the block table, both ways") {
  const World world = small_world();
  const Resolved token = resolve(world, Target::token(RequestId{0}, 4));
  CHECK(token.block == 0U);
  CHECK(token.offset == 0U);
  const Resolved slot = resolve(world, Target::slot(9));  // block 2, offset 1
  CHECK(slot.request == RequestId{0});
  CHECK(slot.position == 1U);
  CHECK(slot.logical == 0U);
  CHECK_FALSE(resolve(world, Target::block(1)).request);
  CHECK_FALSE(resolve(world, Target::block(99)).block);
  CHECK_FALSE(resolve(world, Target::token(RequestId{0}, 99)).block);
  CHECK_FALSE(resolve(world, Target::of_request(RequestId{7})).request);
}

TEST_CASE("A target's name and the target are the same thing") {
  for (const char* name : {"block:3", "slot:29", "request:B", "table:A[1]", "token:A1[5]", "node:4"}) {
    const auto target = parse_target(name);
    REQUIRE(target);
    CHECK(name_of(*target) == name);
  }
  for (const char* name : {"", "block:", "block:x", "table:A", "table:A[", "request:b", "node:x", "token:A[]"}) {
    CHECK_FALSE(parse_target(name));
  }
}

TEST_CASE("Short names lead to blocks, tokens, requests and steps") {
  CHECK(parse_place("b12", RequestId{0})->target == Target::block(12));
  CHECK(parse_place("T13", RequestId{1})->target == Target::token(RequestId{1}, 13));
  CHECK(parse_place("rb", RequestId{0})->target == Target::of_request(RequestId{1}));
  CHECK(parse_place("n4", RequestId{0})->target == Target::node(NodeId{4}));
  CHECK(parse_place("s37", RequestId{0})->step == 37U);
  for (const char* text : {"", "b", "x1", "b-1", "s1x", "r1", "t99999999999"})
    CHECK_FALSE(parse_place(text, RequestId{0}));
}

TEST_CASE("A change starts at one picture, ends at the other, and plays backwards the same way") {
  const BlockLook before{}, after{1, 4, 1, 1};
  CHECK(mix(before, after, 0) == before);
  CHECK(mix(before, after, 1) == after);
  for (const float t : {0.1F, 0.25F, 0.5F, 0.9F}) {
    CHECK(mix(before, after, t).filled == kvarium_test::Approx(mix(after, before, 1 - t).filled));
    CHECK(ease_in_out(t) == kvarium_test::Approx(1 - ease_in_out(1 - t)));
  }
  CHECK(ease_out_cubic(0) == 0);
  CHECK(ease_out_cubic(1) == 1);
}

TEST_CASE("Motion is shorter when playing faster, and gone with reduced motion") {
  CHECK(change_seconds(1, false, false) == kvarium_test::Approx(0.24));
  CHECK(change_seconds(4, false, false) == kvarium_test::Approx(0.06));
  CHECK(change_seconds(8, false, false) == 0);
  CHECK(change_seconds(0, false, false) == 0);
  CHECK(change_seconds(8, true, false) == kvarium_test::Approx(0.24));
  CHECK(change_seconds(1, true, true) == 0);
  CHECK(Tween{10, 0}.progress(10) == 1);
  CHECK(Tween{10, 2}.progress(11) == kvarium_test::Approx(0.5));
  CHECK_FALSE(Tween{10, 2}.running(12));
}
