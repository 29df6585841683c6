// The runner without a model: simulated times worked out by hand on a GPU with round numbers, and the real engine over
// it.

#include "core/cost/cost_model_runner.h"

#include <algorithm>

#include "core/engine.h"
#include "core/error.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::contains;

/// One layer, one head of one number: attention costs 4 FLOP a pair of tokens, a token has K and V of 2 bytes.
ServerProfile tiny_server(double flops_per_second, double bytes_per_second, double host_bytes_per_second = 1e30) {
  ServerProfile server;
  server.model.name = "tiny";
  server.model.layers = server.model.query_heads = server.model.kv_heads = server.model.head_dim = 1;
  server.model.hidden = 1;
  server.model.context = 64;
  server.parameters = 100;
  server.bytes_per_number = 1;
  server.gpu.name = "toy";
  server.gpu.flops_per_second = flops_per_second;
  server.gpu.memory = {"memory", bytes_per_second};
  server.host = {"host", host_bytes_per_second};
  server.tokens_per_step = 8;
  return server;
}

constexpr double kFast = 1e30;  ///< so fast that it takes no time
constexpr std::uint64_t kSecond = 1'000'000'000;

std::vector<TokenId> tokens(std::uint32_t count) { return std::vector<TokenId>(count, TokenId{7}); }

struct Call {
  explicit Call(CostModelRunner& made) : runner(made) { runner.create_cache(4, 4); }
  ForwardResult operator()(std::uint32_t first, std::uint32_t count, std::uint32_t rows = 1) {
    const std::vector<TokenId> given = tokens(count);
    const ScheduledSequence sequence{RequestId{0}, given, first, table, rows};
    return runner.forward(std::span(&sequence, 1));
  }
  CostModelRunner& runner;
  std::vector<BlockId> table{BlockId{2}, BlockId{0}};
};

TEST_CASE("the runner says that it simulates, what and on what") {
  const CostModelRunner runner(default_server());
  CHECK(runner.simulated());
  CHECK(runner.shape().name == "simulated: llama-3.1-8b on one H100 SXM");
  CHECK(runner.shape().context == 131'072);
  CHECK(CostModelRunner(default_server(), 200'000).shape().context == 200'000);
}

TEST_CASE("a pass takes its FLOPs or its bytes over the peak, whichever is longer") {
  CostModelRunner arithmetic(tiny_server(1, kFast));
  // 3 tokens: 2 * 100 * 3 for the weights, 4 * (1 + 2 + 3) for attention.
  CHECK(Call(arithmetic)(0, 3).simulated_ns == 624 * kSecond);
  CostModelRunner memory(tiny_server(kFast, 1));
  Call call(memory);
  CHECK(call(0, 3).simulated_ns == 106 * kSecond);  // 100 weights, K and V of 3 tokens
  const ForwardResult decoded = call(3, 1);
  CHECK(decoded.simulated_ns == 108 * kSecond);
  CHECK(decoded.work == std::vector<Work>{{1, 4, 108, 200 + 4 * 4}});
}

TEST_CASE("a batch reads the weights once") {
  CostModelRunner runner(tiny_server(kFast, 1));
  runner.create_cache(4, 4);
  const std::vector<TokenId> given = tokens(2);
  const std::vector<BlockId> one{BlockId{0}}, two{BlockId{1}};
  const std::vector<ScheduledSequence> batch{{RequestId{0}, given, 0, one}, {RequestId{1}, given, 0, two}};
  const ForwardResult result = runner.forward(batch);
  CHECK(result.simulated_ns == 108 * kSecond);
  CHECK(result.work[0].bytes_read == 104);
  CHECK(result.work[1].bytes_read == 4);
}

TEST_CASE("copies and swaps make the next pass longer, and only that one") {
  CostModelRunner runner(tiny_server(kFast, 1, .5));
  Call call(runner);
  const BlockCopy copy{BlockId{0}, BlockId{1}, 3};
  runner.copy(std::span(&copy, 1));
  CHECK(call(0, 1).simulated_ns == (102 + 12) * kSecond);  // K and V of 3 tokens, read and written
  const std::vector<std::byte> saved = runner.save(call.table);
  CHECK(saved.size() == 2);
  CHECK(runner.saved_bytes(2) == 2 * 4 * 2);
  CHECK(call(0, 1).simulated_ns == (102 + 32) * kSecond);  // 16 bytes to the host at half a byte a second
  runner.restore(call.table, saved);
  CHECK(call(0, 1).simulated_ns == (102 + 32) * kSecond);
  CHECK(call(0, 1).simulated_ns == 102 * kSecond);
}

TEST_CASE("the next token depends on the newest one and its place, however the prompt was cut") {
  CostModelRunner runner(tiny_server(1, 1));
  Call call(runner);
  const std::vector<float> whole = call(0, 5).logits;
  call(0, 3);
  CHECK(call(3, 2).logits == whole);
  CHECK(whole.size() == CostModelRunner::kVocab);
  CHECK(std::count(whole.begin(), whole.end(), 1.0F) == 1);
  CHECK(call(0, 6).logits != whole);
  const std::vector<float> two = call(0, 5, 2).logits;  // of the last two tokens
  CHECK(std::vector(two.begin(), two.begin() + CostModelRunner::kVocab) == call(0, 4).logits);
  CHECK(std::vector(two.begin() + CostModelRunner::kVocab, two.end()) == whole);
}

TEST_CASE("in a tree the place of a token is its depth, and it sees its own path") {
  CostModelRunner runner(tiny_server(1, 1));
  Call call(runner);
  const std::vector<float> chain = call(3, 2, 2).logits;
  const std::vector<TokenId> given = tokens(4);
  const std::vector<std::uint32_t> parents{0, 0, 0, 1};
  const ScheduledSequence tree{RequestId{0}, given, 3, call.table, 3, false, parents};
  const ForwardResult result = runner.forward(std::span(&tree, 1));
  const auto second = std::span(chain).last(CostModelRunner::kVocab);
  for (const std::size_t row : {0U, 1U}) {  // of nodes 1 and 2, both at depth 1
    const auto got = std::span(result.logits).subspan(row * CostModelRunner::kVocab, CostModelRunner::kVocab);
    CHECK(std::equal(got.begin(), got.end(), second.begin(), second.end()));
  }
  CHECK(result.work[0].score_products == 4 + 5 + 5 + 6);
}

TEST_CASE("moved slots make the next pass longer") {
  CostModelRunner runner(tiny_server(kFast, 4));
  Call call(runner);
  const std::uint64_t before = *call(0, 1).simulated_ns;
  runner.move(std::vector<SlotMove>{{Slot{2}, Slot{1}}});  // K and V of 2 bytes are read and written
  CHECK(*call(0, 1).simulated_ns == before + kSecond);
}

TEST_CASE("what cannot be computed is refused") {
  CostModelRunner runner(tiny_server(1, 1));
  Call call(runner);
  CHECK_THROWS_AS(runner.forward({}), MisuseError);
  CHECK_THROWS_WITH(call(0, 0), contains("empty sequence"));
  CHECK_THROWS_WITH(call(0, 2, 3), contains("3 rows of logits of 2 tokens"));
  CHECK_THROWS_WITH(call(6, 3), contains("2 blocks is too short for 9 tokens"));
  call.table = {BlockId{4}};
  CHECK_THROWS_WITH(call(0, 1), contains("no block 4"));
  CHECK_THROWS_WITH(runner.save(call.table), contains("no block 4"));
  const BlockCopy copy{BlockId{0}, BlockId{1}, 5};
  CHECK_THROWS_WITH(runner.copy(std::span(&copy, 1)), contains("5 slots"));
  CHECK_THROWS_WITH(runner.move(std::vector<SlotMove>{{Slot{16}, Slot{0}}}), contains("no slot 16"));
  CHECK_THROWS_WITH(CostModelRunner(tiny_server(1, 1)).move(std::vector<SlotMove>{{Slot{0}, Slot{0}}}),
                    contains("no slot 0"));
  const std::vector<TokenId> given = tokens(2);
  const std::vector<std::uint32_t> no_tree{0, 1};
  const std::vector<BlockId> table{BlockId{0}};
  const ScheduledSequence tree{RequestId{0}, given, 0, table, 1, false, no_tree};
  CHECK_THROWS_WITH(runner.forward(std::span(&tree, 1)), contains("no tree"));
  const std::vector<BlockId> one{BlockId{0}};
  CHECK_THROWS_WITH(runner.restore(one, {}), contains("0 blocks are restored into 1"));
  CHECK_THROWS_AS(runner.create_cache(4, 4), MisuseError);
  CHECK_THROWS_AS(CostModelRunner(tiny_server(0, 1)), InputError);
}

TEST_CASE("beside the weights of the default server there is room for 833 blocks of 512 tokens") {
  // (0.9 * 80e9 - 2 * 8.03e9) / (131,072 * 512) = 833.57 blocks.
  CHECK(blocks_beside_weights(default_server(), 512) == 833);
  ServerProfile small = default_server();
  small.gpu.memory_bytes = 10e9;
  CHECK(blocks_beside_weights(small, 512) == 0);
}

/// Two requests with the same beginning, then a pool so small that one of them is preempted.
Trace& serve(Trace& trace, Preemption preemption) {
  CostModelRunner runner(tiny_server(100, 100, 100));
  const ContinuousScheduler scheduler;
  const NumberText text;
  EngineConfig config{4, ascending_order(5), {2, 16}};
  config.prefix_cache.kind = PrefixCaching::hash;
  config.preemption = preemption;
  Engine engine(config, runner, scheduler, text, trace);
  for (int i = 0; i < 2; ++i) {
    RequestSpec spec;
    spec.prompt = tokens(8);
    spec.max_new_tokens = 8;
    engine.submit(spec);
  }
  engine.wait(kSecond);
  while (engine.step()) CHECK(violations(trace.newest()).empty());
  return trace;
}

TEST_CASE("the engine serves in simulated time, preempts and swaps, and all of it says so") {
  const Preemption preemption = GENERATE(values({Preemption::recompute, Preemption::swap}));
  Trace trace;
  const World& world = serve(trace, preemption).newest();
  CHECK(world.simulated_time);
  CHECK(world.model.name.rfind("simulated", 0) == 0);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (const auto* timed = std::get_if<StepTimed>(&trace[i])) CHECK((timed->simulated && timed->nanoseconds > 0));
  }
  CHECK(world.requests[0]->status == RequestStatus::finished);
  CHECK(world.requests[0]->tokens == world.requests[1]->tokens);  // what happened between changes no answer
  CHECK(world.requests[1]->preemptions >= 1);
  CHECK((world.swapped_bytes > 0) == (preemption == Preemption::swap));
}

}  // namespace
}  // namespace kvarium
