// Attention of one new token a sequence: bound by reading the cache.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "cuda/bench/bench.h"
#include "cuda/bench/fill.cuh"
#include "cuda/kernels/attention_decode.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

namespace {

constexpr unsigned kSequences = kIsLarge ? 64 : 2, kTokens = kIsLarge ? 8192 : 40, kQueryHeads = kIsLarge ? 32 : 8;
constexpr KvLayout kLayout = {16, kQueryHeads / 4, 128};
constexpr unsigned kBlocksEach = (kTokens + kLayout.block_size - 1) / kLayout.block_size;

/// Every sequence has its blocks somewhere in the cache, as after hours of work.
std::vector<unsigned> shuffled_tables() {
  std::vector<unsigned> blocks(std::size_t{kSequences} * kBlocksEach);
  std::iota(blocks.begin(), blocks.end(), 0U);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  return blocks;
}

}  // namespace

void bench_decode(const std::function<void(const Job&)>& run) {
  const std::vector<unsigned> tables = shuffled_tables();
  const std::size_t cache = tables.size() * kLayout.block_stride();
  const std::size_t row = std::size_t{kQueryHeads} * kLayout.head_dim;
  const DeviceBuffer<bf16> queries = filled<bf16>(kSequences * row, 1, "queries"),
                           keys = filled<bf16>(cache, 2, "keys"), values = filled<bf16>(cache, 3, "values");
  const DeviceBuffer<unsigned> blocks(tables, "block tables"),
      lengths(std::vector<unsigned>(kSequences, kTokens), "lengths");
  DeviceBuffer<bf16> out(queries.size(), "out");
  AttentionDecode<bf16> call;
  call.queries = queries.ptr();
  call.kv = {keys.ptr(), values.ptr(), kLayout, {blocks.ptr(), kBlocksEach, static_cast<unsigned>(tables.size())}};
  call.lengths = lengths.ptr();
  call.out = out.ptr();
  call.sequences = kSequences;
  call.query_heads = kQueryHeads;
  call.scale = 1.0F / std::sqrt(static_cast<float>(kLayout.head_dim));
  DecodeParts parts;
  parts.splits = attention_decode_splits(call, kTokens);
  DeviceBuffer<float> part_out(queries.size() * parts.splits, "parts"),
      part_lse(std::size_t{kSequences} * kQueryHeads * parts.splits, "log sums of parts");
  parts.out = part_out.ptr();
  parts.lse = part_lse.ptr();
  const double numbers = static_cast<double>(kTokens) * kSequences * static_cast<double>(kLayout.token_stride());
  const auto job = [&](const char* name, AttentionDecodeRung rung) {
    run({"attention_decode", name,
         std::to_string(kSequences) + " x " + std::to_string(kTokens) + " tokens, " + std::to_string(kQueryHeads) +
             " heads over " + std::to_string(kLayout.kv_heads) + " of 128, bf16",
         4.0 * numbers, 4.0 * numbers * 4, [&, rung](Stream& stream) { attention_decode(rung, stream, call, parts); }});
  };
  job("warp_a_head", AttentionDecodeRung::warp_a_head);
  job("vectors", AttentionDecodeRung::vectors);
  job("split", AttentionDecodeRung::split);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
