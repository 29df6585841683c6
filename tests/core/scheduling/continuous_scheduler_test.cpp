#include "core/scheduling/continuous_scheduler.h"

#include <memory>

#include "core/error.h"
#include "core/scheduling/plan_check.h"
#include "core/scheduling/planned_blocks.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::contains;

namespace {

// Requests A, B, C, ... in a pool of blocks of 4 tokens, put into any state by hand.
class Stage {
 public:
  explicit Stage(std::uint32_t num_blocks, StepLimits limits = {})
      : pool_(4, ascending_order(num_blocks), sink_), limits_(limits) {}
  ~Stage() {
    for (const auto& request : requests_) request->table().release();
  }

  /// Runs, with K and V of all its tokens but the newest.
  LiveRequest& running(std::uint32_t tokens) {
    LiveRequest& request = make(tokens);
    request.admit();
    REQUIRE(request.table().append(tokens - 1));
    running_.push_back(&request);
    return request;
  }
  LiveRequest& waiting(std::uint32_t tokens) {
    waiting_.push_back(&make(tokens));
    return *waiting_.back();
  }
  SchedulerView view() const { return {running_, waiting_, pool_, *cache_, limits_}; }
  std::string plan() const {
    const StepPlan plan = ContinuousScheduler().plan(view());
    CHECK_NOTHROW(check(plan, view()));
    return show(plan);
  }
  std::string pool() const { return pool_.show(); }

 private:
  LiveRequest& make(std::uint32_t tokens) {
    RequestSpec spec;
    spec.prompt.assign(tokens, TokenId{0});
    const RequestId id{static_cast<std::uint32_t>(requests_.size())};
    return *requests_.emplace_back(std::make_unique<LiveRequest>(id, std::move(spec), 1000, pool_, *cache_));
  }

  NullSink sink_;
  BlockPool pool_;
  std::unique_ptr<PrefixCache> cache_ = no_prefix_cache(pool_);
  StepLimits limits_;
  std::vector<std::unique_ptr<LiveRequest>> requests_;
  std::vector<LiveRequest*> running_, waiting_;
};

}  // namespace

TEST_CASE("an empty stage gives an empty plan") { CHECK(Stage(4).plan() == "nothing"); }

TEST_CASE("waiting requests are admitted in their order, each with its whole prompt") {
  Stage stage(8);
  stage.waiting(10);
  stage.waiting(6);
  CHECK(stage.plan() == "admit A B | compute A:10 B:6");
}

TEST_CASE("running requests come first, one token each") {
  Stage stage(8);
  stage.running(6);
  stage.running(3);
  stage.waiting(5);
  CHECK(stage.plan() == "admit C | compute A:1 B:1 C:5");
}

TEST_CASE("planning changes nothing") {
  Stage stage(3);
  stage.running(9);  // needs a third block for its 9th token
  stage.running(4);
  const std::string before = stage.pool();
  CHECK(stage.plan() == stage.plan());
  CHECK(stage.pool() == before);
}

TEST_CASE("no more than max_running run") {
  Stage stage(8, {.max_running = 2, .token_budget = 100});
  stage.running(2);
  stage.waiting(2);
  stage.waiting(2);
  CHECK(stage.plan() == "admit B | compute A:1 B:2");
}

TEST_CASE("the token budget bounds a step, and nobody overtakes the request that does not fit") {
  Stage stage(8, {.max_running = 8, .token_budget = 8});
  stage.running(3);
  stage.waiting(6);
  stage.waiting(2);  // 1 + 6 + 2 > 8
  stage.waiting(1);  // would fit
  CHECK(stage.plan() == "admit B | compute A:1 B:6");
}

TEST_CASE("a prompt longer than the budget is computed alone, so that it does not wait for ever") {
  Stage stage(8, {.max_running = 2, .token_budget = 8});
  stage.waiting(20);
  stage.waiting(2);
  CHECK(stage.plan() == "admit A | compute A:20");
}

TEST_CASE("a prompt longer than the budget waits while others run") {
  Stage stage(8, {.max_running = 2, .token_budget = 8});
  stage.running(3);
  stage.waiting(20);
  CHECK(stage.plan() == "compute A:1");
}

TEST_CASE("a waiting request whose blocks are not free waits, and so do all behind it") {
  Stage stage(3);
  stage.running(8);  // 2 blocks
  stage.waiting(5);  // needs 2, 1 is free
  stage.waiting(1);
  CHECK(stage.plan() == "compute A:1");
}

TEST_CASE("a free pool admits the head of the queue") {
  Stage stage(2);
  stage.waiting(8);
  CHECK(stage.plan() == "admit A | compute A:8");
}

TEST_CASE("when no block is free the newest running request is preempted, and nobody is admitted") {
  Stage stage(3);
  stage.running(9);  // 8 computed in 2 blocks; the 9th token needs a third
  stage.running(4);  // 1 block
  stage.waiting(1);
  CHECK(stage.pool() == "free | used 0x1 1x1 2x1");
  CHECK(stage.plan() == "preempt B | compute A:1");
}

TEST_CASE("the newest request preempts itself when it is the one that needs a block") {
  Stage stage(3);
  stage.running(8);  // its 8th token fits its 2 blocks
  stage.running(5);  // its 5th needs a second block
  CHECK(stage.plan() == "preempt B | compute A:1");
}

TEST_CASE("as many are preempted as are needed, the newest first") {
  Stage stage(4);
  stage.running(9);
  stage.running(4);
  stage.running(5);  // none free for A; C's one block serves A; B keeps its own
  CHECK(stage.pool() == "free | used 0x1 1x1 2x1 3x1");
  CHECK(stage.plan() == "preempt C | compute A:1 B:1");

  Stage both(4);
  both.running(9);
  both.running(5);
  both.running(4);  // C's block serves A; B needs a second one, and is the newest now
  CHECK(both.plan() == "preempt C B | compute A:1");
}

TEST_CASE("a block that two tables share is available only when both let it go") {
  NullSink sink;
  BlockPool pool(4, ascending_order(3), sink);
  const auto cache = no_prefix_cache(pool);
  const RequestId a{0}, b{1};
  BlockTable first(pool, a), second(pool, b);
  REQUIRE(first.append(8));
  PlannedBlocks blocks(pool, *cache);
  CHECK(blocks.available() == 1);
  blocks.give_back(first);
  CHECK(blocks.available() == 3);

  REQUIRE(second.append(4));
  pool.share(b, first.blocks()[0]);
  PlannedBlocks shared(pool, *cache);
  shared.give_back(first);
  CHECK(shared.available() == 1);  // block 1; block 0 is still held
  CHECK(shared.take(PrefixHit{}, 4));
  CHECK_FALSE(shared.take(PrefixHit{}, 1));
  pool.release(b, first.blocks()[0]);
  first.release();
  second.release();
}

TEST_CASE("of three tables that write into one shared block, two need a copy") {
  NullSink sink;
  BlockPool pool(4, ascending_order(4), sink);
  const auto cache = no_prefix_cache(pool);
  BlockTable a(pool, RequestId{0}), b(pool, RequestId{1}), c(pool, RequestId{2});
  REQUIRE(a.append(6));
  a.fork_into(b);
  a.fork_into(c);
  PlannedBlocks blocks(pool, *cache);
  CHECK(blocks.take(a, 1));
  CHECK(blocks.available() == 1);
  CHECK(blocks.take(b, 1));
  CHECK(blocks.available() == 0);
  CHECK(blocks.take(c, 1));
  for (BlockTable* table : {&a, &b, &c}) table->release();
}

TEST_CASE("an impossible plan is refused, with the reason") {
  Stage stage(3, {.max_running = 2, .token_budget = 100});
  const RequestId a = stage.running(5).id();  // 1 block; the 5th token needs another
  const RequestId b = stage.waiting(9).id();
  const RequestId c = stage.waiting(2).id();
  const auto refusal = [&](const StepPlan& plan) -> std::string {
    try {
      check(plan, stage.view());
    } catch (const MisuseError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal({}) == "");
  CHECK(refusal({{}, {b}, {{b, 8}}}) == "");  // a part of a prompt: chunked prefill
  CHECK_THAT(refusal({{b}, {}, {}}), contains("request B is preempted, but does not run"));
  CHECK_THAT(refusal({{a, a}, {}, {}}), contains("request A is preempted, but does not run"));
  CHECK_THAT(refusal({{}, {a}, {}}), contains("request A is admitted, but does not wait"));
  CHECK_THAT(refusal({{a}, {a}, {}}), contains("request A is admitted, but does not wait"));
  CHECK_THAT(refusal({{}, {b, c}, {}}), contains("3 requests would run, 2 may"));
  CHECK_THAT(refusal({{}, {}, {{b, 1}}}), contains("request B computes twice, or without running"));
  CHECK_THAT(refusal({{a}, {}, {{a, 1}}}), contains("request A computes twice, or without running"));
  CHECK_THAT(refusal({{}, {}, {{a, 1}, {a, 1}}}), contains("request A computes twice"));
  CHECK_THAT(refusal({{}, {}, {{a, 2}}}), contains("request A computes 2 of 1 tokens"));
  CHECK_THAT(refusal({{}, {}, {{a, 0}}}), contains("request A computes 0 of 1 tokens"));
  CHECK_THAT(refusal({{}, {b}, {{a, 1}, {b, 8}}}),
             contains("request B needs more blocks for 8 tokens than the 1 that are available"));
}
