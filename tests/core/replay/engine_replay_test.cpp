// Traces through the real engine in simulated time.

#include "core/replay/engine_replay.h"

#include <algorithm>

#include "core/error.h"
#include "core/replay/made_up_trace.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "tests/core/replay/trace_files.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::contains;

/// A token of an answer takes a second, and so does a token of a prompt when it is alone in its step.
ServerProfile slow_server() {
  ServerProfile server;
  server.model.name = "tiny";
  server.model.layers = server.model.query_heads = server.model.kv_heads = server.model.head_dim = 1;
  server.model.hidden = 1;
  server.model.context = 64;
  server.parameters = .5;
  server.bytes_per_number = 1e-9;  // so that memory takes no time
  server.gpu.name = "toy";
  server.gpu.flops_per_second = 1;
  server.gpu.memory = {"memory", 1e9};
  server.host = {"host", 1e9};
  return server;
}

EngineConfig config(std::uint32_t num_blocks, PrefixCaching kind) {
  EngineConfig config;
  config.block_size = 512;
  config.hand_out_order = ascending_order(num_blocks);
  config.limits = {8, 8192};
  config.prefix_cache.kind = kind;
  return config;
}

const ContinuousScheduler& chunked() {
  static const ContinuousScheduler kScheduler({WaitingOrder::first_come, true});
  return kScheduler;
}

EngineReplay run(const RequestTrace& trace, const EngineConfig& config, EventSink& sink) {
  return replay_with_engine(trace, config, chunked(), default_server(), sink, {}, CancelToken()).value();
}

TEST_CASE("prompts are equal where their blocks are, and differ at once where they are not") {
  TracedRequest a{0, 1030, 1, {BlockId{0}, BlockId{1}, BlockId{2}}}, b = a;
  b.blocks[1] = BlockId{0x01020304};
  const std::vector<TokenId> of_a = tokens_of_prompt(a, 512), of_b = tokens_of_prompt(b, 512);
  CHECK(of_a.size() == 1030);
  CHECK(std::equal(of_a.begin(), of_a.begin() + 512, of_b.begin()));
  CHECK(of_a[512] == TokenId{1});
  CHECK(std::vector<TokenId>(of_b.begin() + 512, of_b.begin() + 516) ==
        std::vector<TokenId>{TokenId{4}, TokenId{3}, TokenId{2}, TokenId{1}});
  CHECK(tokens_of_prompt({0, 0, 1, {}}, 512).size() == 1);
}

TEST_CASE("times are counted from a request's arrival in the trace, and the engine waits while nobody is there") {
  // One parameter makes a token cost 1 FLOP, attention 4 a pair: prompts of 1 token take 1 + 4 s, the next tokens 1
  // + 8.
  RequestTrace trace;
  trace.block_size = 512;
  trace.requests = {{2'000, 1, 2, {BlockId{0}}}, {3'000, 1, 1, {BlockId{1}}}, {90'000, 1, 1, {BlockId{2}}}};
  NullSink nobody;
  const EngineReplay result =
      replay_with_engine(trace, config(4, PrefixCaching::off), chunked(), slow_server(), nobody, {}, CancelToken())
          .value();
  // A: 2 to 7. B waits from 3 to 7, then runs with A's second token: 9 + 5 seconds, to 21. C: 90 to 95.
  CHECK(result.requests == 3);
  CHECK(result.steps == 3);
  CHECK(result.end_ms == Approx(95'000));
  CHECK(result.busy_ms == Approx(24'000));
  CHECK(result.ttft_ms == Percentiles{5'000, 18'000, 18'000});
  CHECK(result.tpot_ms == Percentiles{14'000, 14'000, 14'000});
  CHECK(result.queue_ms == Percentiles{0, 4'000, 4'000});
  CHECK(result.answer_tokens == 4);
}

TEST_CASE("every request of the trace is served, and no invariant is broken") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::off, PrefixCaching::hash, PrefixCaching::radix}));
  const RequestTrace trace = made_up_trace(30, 7);
  Trace recording;
  const EngineReplay result = run(trace, config(120, kind), recording);
  const World& world = recording.newest();
  CHECK(violations(world).empty());
  CHECK(result.requests == 30);
  CHECK(result.refused == 0);
  CHECK(world.simulated_time);
  CHECK(result.hit_tokens == world.prefix.hit_tokens);
  CHECK(result.queried_tokens == world.prefix.queried_tokens);
  CHECK((result.hit_tokens > 0) == (kind != PrefixCaching::off));
  CHECK(result.steps == world.step);
  CHECK(result.ttft_ms.p50 > 0);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    CHECK(world.requests[i]->prompt_tokens == trace.requests[i].input_tokens);
    CHECK(world.requests[i]->tokens.size() == trace.requests[i].input_tokens + trace.requests[i].output_tokens);
  }
}

TEST_CASE("what is cached shortens the wait for the first token") {
  const RequestTrace trace = made_up_trace(60, 7);
  NullSink nobody;
  const EngineReplay without = run(trace, config(400, PrefixCaching::off), nobody);
  const EngineReplay with = run(trace, config(400, PrefixCaching::hash), nobody);
  CHECK(with.hit_ratio() > .1);
  CHECK(with.ttft_ms.p50 < without.ttft_ms.p50);
  CHECK(with.busy_ms < without.busy_ms);
}

TEST_CASE("only the first requests, those that fit, and none when cancelled") {
  const RequestTrace trace = kvarium_test::hand_made_trace();
  NullSink nobody;
  CHECK(run(first_requests(trace, 2), config(16, PrefixCaching::hash), nobody).requests == 2);
  const EngineReplay small = run(trace, config(3, PrefixCaching::hash), nobody);
  CHECK(small.refused > 0);
  CHECK(small.requests + small.refused == trace.requests.size());
  CancelToken cancel;
  cancel.cancel();
  CHECK_FALSE(
      replay_with_engine(trace, config(16, PrefixCaching::off), chunked(), default_server(), nobody, {}, cancel));
  CHECK_THROWS_WITH(run(RequestTrace{}, config(16, PrefixCaching::off), nobody), contains("no hashes"));
}

}  // namespace
}  // namespace kvarium
