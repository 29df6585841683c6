// How many requests a second the prefix caches serve: look up, pin, make room, insert, and release the oldest of those
// in flight. Each run checks its hit tokens. W2: 64 shared prefixes; W2b: 2048, more than the cache holds.

#include <benchmark/benchmark.h>

#include <deque>
#include <span>

#include "core/prefix/radix_cache.h"
#include "tests/bench/prefix_workload.h"

namespace kvarium_bench {
namespace {

using namespace kvarium;

std::vector<BlockId> all_pages() {
  std::vector<BlockId> pages;
  for (std::uint32_t id = 0; id < kNumPages; ++id) pages.push_back(BlockId{id});
  return pages;
}

std::uint64_t serve_by_radix_tree(std::span<const TokenId> all, EvictionUnit unit) {
  RadixCache cache(kPageSize, unit);
  std::vector<BlockId> free = all_pages();
  std::deque<NodeId> in_flight;
  std::vector<BlockId> row;
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < kNumRequests; ++i) {
    const auto prompt = all.subspan(i * kPromptTokens, kPromptTokens);
    const RadixMatch hit = cache.match(prompt);
    hits += hit.num_tokens;
    cache.lock(hit.node);
    const std::size_t need = (kPromptTokens - hit.num_tokens) / kPageSize;
    if (free.size() < need) {
      const std::vector<BlockId> evicted = cache.evict((need - free.size()) * kPageSize).blocks;
      free.insert(free.end(), evicted.begin(), evicted.end());
    }
    row = hit.blocks;
    row.insert(row.end(), free.end() - static_cast<std::ptrdiff_t>(need), free.end());
    free.resize(free.size() - need);
    const NodeId node = cache.insert(prompt, row).node;
    cache.lock(node);
    cache.unlock(hit.node);
    in_flight.push_back(node);
    if (in_flight.size() <= kInFlight) continue;
    cache.unlock(in_flight.front());
    in_flight.pop_front();
  }
  return hits;
}

void radix_tree(benchmark::State& state, EvictionUnit unit) {
  const auto num_prefixes = static_cast<std::uint64_t>(state.range(0));
  const std::vector<TokenId> all = prompts(num_prefixes);
  const std::uint64_t expected =
      unit == EvictionUnit::page ? expected_hits(num_prefixes) : expected_hits_by_node(num_prefixes);
  for (auto _ : state) {
    if (serve_by_radix_tree(all, unit) != expected) state.SkipWithError("wrong number of hit tokens");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumRequests));
}
BENCHMARK_CAPTURE(radix_tree, evicts_pages, EvictionUnit::page)->ArgName("prefixes")->Arg(64)->Arg(2048);
BENCHMARK_CAPTURE(radix_tree, evicts_nodes, EvictionUnit::node)->ArgName("prefixes")->Arg(64)->Arg(2048);

}  // namespace
}  // namespace kvarium_bench

BENCHMARK_MAIN();
