// Simulated time, worked out by hand on a GPU with round numbers.

#include "core/replay/simulated_server.h"

#include <string>

#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;

/// One layer, one head of one number: attention costs 4 FLOP a pair of tokens, a token has K and V of 2 numbers.
ServerProfile tiny_server(double flops_per_second, double bytes_per_second) {
  ServerProfile server;
  server.model.layers = server.model.query_heads = server.model.kv_heads = server.model.head_dim = 1;
  server.model.name = "tiny";
  server.parameters = 100;
  server.bytes_per_number = 1;
  server.gpu.flops_per_second = flops_per_second;
  server.gpu.memory = {"memory", bytes_per_second};
  server.tokens_per_step = 4;
  return server;
}

constexpr double kFast = 1e30;  ///< so fast that it takes no time

RequestTrace trace_of(const std::vector<TracedRequest>& requests) {
  RequestTrace trace;
  trace.requests = requests;
  return trace;
}

SimulatedTimes run(const RequestTrace& trace, const std::vector<std::uint64_t>& hit_tokens,
                   const ServerProfile& server) {
  return simulate_server(trace, hit_tokens, server, {}, CancelToken()).value();
}

TEST_CASE("a prompt that fits one step takes its FLOPs over the peak") {
  // 3 tokens: 2 * 100 * 3 for the weights, 4 * (1 + 2 + 3) for attention.
  const SimulatedTimes times = run(trace_of({{500, 3, 1, {}}}), {0}, tiny_server(1, kFast));
  CHECK(times.steps == 1);
  CHECK(times.ttft_ms.p50 == Approx(624'000));
  CHECK(times.end_ms == Approx(624'500));
  CHECK(times.busy_ms == Approx(624'000));
  CHECK(times.tpot_ms.p50 == 0);
}

TEST_CASE("hit tokens are not computed, but looked at; one token is always computed") {
  const TracedRequest request{0, 3, 1, {}};
  // 1 token at position 2: 2 * 100 + 4 * 3.
  CHECK(run(trace_of({request}), {2}, tiny_server(1, kFast)).ttft_ms.p50 == Approx(212'000));
  CHECK(run(trace_of({request}), {3}, tiny_server(1, kFast)).ttft_ms.p50 == Approx(212'000));
}

TEST_CASE("when memory is slower, a step takes its bytes over the bandwidth") {
  // Prefill: 100 weights and 3 tokens of 2. Two more answer tokens: 100 + 2 * 4, 100 + 2 * 5.
  const SimulatedTimes times = run(trace_of({{0, 3, 3, {}}}), {0}, tiny_server(kFast, 1));
  CHECK(times.steps == 3);
  CHECK(times.ttft_ms.p50 == Approx(106'000));
  CHECK(times.tpot_ms.p50 == Approx((108'000 + 110'000) / 2.0));
  CHECK(times.end_ms == Approx(106'000 + 108'000 + 110'000));
}

TEST_CASE("a long prompt is prefilled in chunks of the budget, and the next one waits for its turn") {
  // Budget 4. Step 1: tokens 0-3 of A. Step 2: tokens 4, 5 of A, 0, 1 of B. Bytes: 100 + 2*4; 100 + 2*6 + 2*2.
  const SimulatedTimes times = run(trace_of({{0, 6, 1, {}}, {0, 2, 1, {}}}), {0, 0}, tiny_server(kFast, 1));
  CHECK(times.steps == 2);
  CHECK(times.ttft_ms.p50 == Approx(108'000 + 116'000));
  CHECK(times.ttft_ms.p99 == Approx(108'000 + 116'000));
}

TEST_CASE("answers under way take part in each step and slow the prompts that come") {
  // A: step 1 prefill (100 + 2*1). B arrives during it. Step 2: A's token looks at 2, B's 3 tokens: 100 + 2*2 + 2*3.
  const SimulatedTimes times = run(trace_of({{0, 1, 2, {}}, {50, 3, 1, {}}}), {0, 0}, tiny_server(kFast, 1));
  CHECK(times.steps == 2);
  CHECK(times.ttft_ms.p50 == Approx(102'000));
  CHECK(times.ttft_ms.p99 == Approx(102'000 + 110'000 - 50));
  CHECK(times.tpot_ms.p50 == Approx(110'000));
}

TEST_CASE("between two requests the server is idle, and idle time is not busy") {
  const SimulatedTimes times = run(trace_of({{0, 1, 1, {}}, {900'000, 1, 1, {}}}), {0, 0}, tiny_server(kFast, 1));
  CHECK(times.end_ms == Approx(900'000 + 102'000));
  CHECK(times.busy_ms == Approx(204'000));
}

TEST_CASE("an empty prompt and an empty answer pass; so does an empty trace") {
  CHECK(run(trace_of({{0, 0, 0, {}}}), {0}, tiny_server(kFast, 1)).steps == 1);
  CHECK(run(trace_of({}), {}, tiny_server(kFast, 1)).steps == 0);
}

TEST_CASE("percentiles are values that occurred, by the nearest rank") {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  CHECK(percentiles(values).p50 == 50);
  CHECK(percentiles(values).p90 == 90);
  CHECK(percentiles(values).p99 == 99);
  CHECK(percentiles({7}).p99 == 7);
  CHECK(percentiles({}).p50 == 0);
}

TEST_CASE("the default server computes a token at the speed of its memory") {
  // 7.50e9 parameters of 2 bytes over 3350 GB/s are 4.48 ms; 1,000 tokens of K and V of 131,072 bytes add 0.04 ms.
  const SimulatedTimes times = run(trace_of({{0, 1000, 2, {}}}), {0}, default_server());
  CHECK(times.tpot_ms.p50 == Approx(4.520).margin(.001).epsilon(0));
  // 2 * (6.98e9 * 1000 + 0.53e9) + 4 * 32 * 32 * 128 * 500,500 FLOP over 989.4e12.
  CHECK(times.ttft_ms.p50 == Approx(14.374).margin(.001).epsilon(0));
}

TEST_CASE("hit tokens must be given for each request; a cancelled simulation gives nothing") {
  const RequestTrace trace = trace_of({{0, 1, 1, {}}});
  CHECK_THROWS_AS(simulate_server(trace, {}, tiny_server(1, 1), {}, CancelToken()), MisuseError);
  CancelToken cancel;
  cancel.cancel();
  CHECK_FALSE(simulate_server(trace, {0}, tiny_server(1, 1), {}, cancel));
}

}  // namespace
}  // namespace kvarium
