// How many operations a second the block manager makes: it runs between two steps of a GPU, so it must be far from
// the bottleneck. Nobody listens to the events here; the trace has its own benchmark.

#include <benchmark/benchmark.h>

#include "core/blocks/block_table.h"
#include "core/blocks/contiguous_pool.h"

namespace kvarium {
namespace {

constexpr std::uint32_t kBlockSize = 16;
constexpr RequestId kRequest{0};

/// One block out and back, in a pool of `range(0)` blocks: the same work for any size; a pool of a million blocks no
/// longer lies in the processor's cache.
void allocate_and_release(benchmark::State& state) {
  NullSink nobody;
  BlockPool pool(kBlockSize, scrambled_order(static_cast<std::uint32_t>(state.range(0)), 7), nobody);
  for (auto _ : state) pool.release(kRequest, pool.allocate(kRequest).value());
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(allocate_and_release)->Arg(16)->Arg(17'400)->Arg(1'000'000);

void share_and_release(benchmark::State& state) {
  NullSink nobody;
  BlockPool pool(kBlockSize, ascending_order(16), nobody);
  const BlockId block = pool.allocate(kRequest).value();
  for (auto _ : state) {
    pool.share(RequestId{1}, block);
    pool.release(RequestId{1}, block);
  }
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(share_and_release);

/// What a decode step does for each request: one more slot; every 16th takes a block. A full table starts again.
void append_one_token(benchmark::State& state) {
  constexpr std::uint32_t kTokens = 4096;
  NullSink nobody;
  BlockPool pool(kBlockSize, ascending_order(kTokens / kBlockSize), nobody);
  BlockTable table(pool, kRequest);
  for (auto _ : state) {
    if (!table.append(1)) table.release();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append_one_token);

/// What a prefill does, and its end: a prompt of `range(0)` tokens in and out. Items are tokens.
void append_prompt_and_release(benchmark::State& state) {
  const auto tokens = static_cast<std::uint32_t>(state.range(0));
  NullSink nobody;
  BlockPool pool(kBlockSize, ascending_order(tokens / kBlockSize + 1), nobody);
  for (auto _ : state) {
    BlockTable table(pool, kRequest);
    benchmark::DoNotOptimize(table.append(tokens));
    table.release();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(append_prompt_and_release)->Arg(512)->Arg(8192);

/// What speculative decoding does each step: 5 drafts in, 3 of them taken back.
void draft_and_roll_back(benchmark::State& state) {
  NullSink nobody;
  BlockPool pool(kBlockSize, ascending_order(256), nobody);
  BlockTable table(pool, kRequest);
  for (auto _ : state) {
    if (!table.append(5)) table.release();
    if (table.num_tokens() >= 5) table.rollback_to(table.num_tokens() - 3);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(draft_and_roll_back);

void slot_of_a_position(benchmark::State& state) {
  NullSink nobody;
  BlockPool pool(kBlockSize, scrambled_order(512, 7), nobody);
  BlockTable table(pool, kRequest);
  benchmark::DoNotOptimize(table.append(8192));
  std::uint32_t position = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.slot_of(position));
    position = (position + 1) % 8192;
  }
  table.release();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(slot_of_a_position);

/// The baseline looks through all reservations: fine for the hundreds of requests that a row can hold.
void reserve_in_a_row_of(benchmark::State& state) {
  const auto requests = static_cast<std::uint32_t>(state.range(0));
  NullSink nobody;
  ContiguousPool row(std::uint64_t{requests + 1} * 2048, nobody);
  for (std::uint32_t id = 0; id < requests; ++id) benchmark::DoNotOptimize(row.reserve(RequestId{id}, 2048));
  for (auto _ : state) {
    benchmark::DoNotOptimize(row.reserve(RequestId{requests}, 2048));
    row.release(RequestId{requests});
  }
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(reserve_in_a_row_of)->Arg(8)->Arg(256);

}  // namespace
}  // namespace kvarium

BENCHMARK_MAIN();
