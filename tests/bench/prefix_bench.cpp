// How many requests a second the prefix caches serve: look up, pin, make room, insert, and release the oldest of those
// in flight. Each run checks its hit tokens. W2: 64 shared prefixes; W2b: 2048, more than the cache holds.

#include <benchmark/benchmark.h>

#include <deque>
#include <span>

#include "core/prefix/block_hash.h"
#include "core/prefix/hash_cache.h"
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

std::uint64_t serve_by_hash(std::span<const TokenId> all, QueueOrder order) {
  NullSink nobody;
  BlockPool pool(kPageSize, ascending_order(kNumPages), nobody);
  HashCache cache(pool, {order, false});
  const BlockHasher hasher(kPageSize);
  std::deque<BlockTable> in_flight;
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < kNumRequests; ++i) {
    const RequestId request{static_cast<std::uint32_t>(i)};
    const auto prompt = all.subspan(i * kPromptTokens, kPromptTokens);
    const std::vector<BlockHash> hashes = hasher.hashes(prompt);
    const PrefixHit hit = cache.find({prompt, hashes});
    hits += hit.num_tokens;
    BlockTable& table = in_flight.emplace_back(pool, request);
    cache.adopt(table, request, hit, kPromptTokens);
    benchmark::DoNotOptimize(table.append(kPromptTokens - hit.num_tokens));
    cache.cache_full_blocks(request, table, {prompt, hashes});
    if (in_flight.size() <= kInFlight) continue;
    in_flight.front().release();
    in_flight.pop_front();
  }
  for (BlockTable& table : in_flight) table.release();
  return hits;
}

/// With everything that a request needs, hashing its prompt included.
void hash_cache(benchmark::State& state, QueueOrder order) {
  const auto num_prefixes = static_cast<std::uint64_t>(state.range(0));
  const std::vector<TokenId> all = prompts(num_prefixes);
  for (auto _ : state) {
    if (serve_by_hash(all, order) != expected_hits(num_prefixes)) state.SkipWithError("wrong number of hit tokens");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumRequests));
}
BENCHMARK_CAPTURE(hash_cache, classic, QueueOrder::classic)->ArgName("prefixes")->Arg(64)->Arg(2048);
BENCHMARK_CAPTURE(hash_cache, head_2026, QueueOrder::head_2026)->ArgName("prefixes")->Arg(64)->Arg(2048);

/// W1: 3,125 requests of 32 blocks go through a pool of 100,000: allocate, cache, free, find and take back, free,
/// allocate again (each block loses its hash), free. An item is one block in one of the seven.
void pool_phases(benchmark::State& state) {
  constexpr std::uint32_t kBlocksEach = 32, kTables = 3125, kTokens = kBlocksEach * kPageSize;
  NullSink nobody;
  BlockPool pool(kPageSize, ascending_order(kBlocksEach * kTables), nobody);
  HashCache cache(pool, {QueueOrder::classic, false});
  const std::vector<TokenId> tokens(kTokens + 1);  // only their number counts here: the hashes are given
  std::vector<BlockHash> hashes;
  for (std::uint64_t i = 0; i < std::uint64_t{kBlocksEach} * kTables; ++i) hashes.push_back({mix(i), mix(~i)});
  std::deque<BlockTable> tables;
  for (std::uint32_t id = 0; id < kTables; ++id) tables.emplace_back(pool, RequestId{id});
  const auto query = [&](std::uint32_t id) {
    return PrefixQuery{tokens, std::span(hashes).subspan(std::size_t{id} * kBlocksEach, kBlocksEach)};
  };
  const auto free_all = [&tables] {
    for (BlockTable& table : tables) table.release();
  };
  for (auto _ : state) {
    for (BlockTable& table : tables) benchmark::DoNotOptimize(table.append(kTokens));
    for (std::uint32_t id = 0; id < kTables; ++id) cache.cache_full_blocks(RequestId{id}, tables[id], query(id));
    free_all();
    for (std::uint32_t id = 0; id < kTables; ++id) {
      cache.adopt(tables[id], RequestId{id}, cache.find(query(id)), kTokens + 1);
    }
    if (pool.num_free() > 0) state.SkipWithError("a block was not found");
    free_all();
    for (BlockTable& table : tables) benchmark::DoNotOptimize(table.append(kTokens));
    if (cache.num_cached() > 0) state.SkipWithError("a block kept its hash");
    free_all();
  }
  state.SetItemsProcessed(state.iterations() * 7 * kBlocksEach * kTables);
}
BENCHMARK(pool_phases);

/// All 32 blocks of a prompt. An item is a prompt.
void hash_prompt(benchmark::State& state) {
  const std::vector<TokenId> all = prompts(64);
  const BlockHasher hasher(kPageSize);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(hasher.hashes(std::span(all).subspan(i * kPromptTokens, kPromptTokens)));
    i = (i + 1) % kNumRequests;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hash_prompt);

}  // namespace
}  // namespace kvarium_bench

BENCHMARK_MAIN();
