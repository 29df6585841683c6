// Attention of a whole prompt: bound by arithmetic.

#include <numeric>

#include "cuda/bench/bench.h"
#include "cuda/bench/fill.cuh"
#include "cuda/kernels/attention_prefill.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

namespace {

void bench_heads(const std::function<void(const Job&)>& run, unsigned query_heads, unsigned kv_heads) {
  const KvLayout layout = {16, kv_heads, kIsLarge ? 128U : 32U};
  const unsigned tokens = kIsLarge ? 8192 : 40, num_blocks = (tokens + layout.block_size - 1) / layout.block_size;
  const std::size_t row = std::size_t{query_heads} * layout.head_dim, cache = num_blocks * layout.block_stride();
  const DeviceBuffer<bf16> queries = filled<bf16>(tokens * row, 1, "queries"), keys = filled<bf16>(cache, 2, "keys"),
                           values = filled<bf16>(cache, 3, "values");
  DeviceBuffer<bf16> out(queries.size(), "out");
  std::vector<unsigned> table(num_blocks);
  std::iota(table.rbegin(), table.rend(), 0U);
  const DeviceBuffer<unsigned> blocks(table, "block table"), starts(std::vector<unsigned>{0, tokens}, "starts"),
      past(std::vector<unsigned>{0}, "past");
  AttentionPrefill<bf16> call;
  call.queries = queries.ptr();
  call.out = out.ptr();
  call.cache = {keys.ptr(), values.ptr(), layout, {blocks.ptr(), num_blocks, num_blocks}};
  call.starts = starts.ptr();
  call.past = past.ptr();
  call.sequences = 1;
  call.most_new = tokens;
  call.query_heads = query_heads;
  const double seen = static_cast<double>(tokens) * (tokens + 1) / 2;
  const auto job = [&](const char* name, PrefillRung rung) {
    run({"attention_prefill", name,
         std::to_string(tokens) + " tokens, " + std::to_string(query_heads) + " heads over " +
             std::to_string(kv_heads) + " of " + std::to_string(layout.head_dim) + ", bf16",
         2.0 * static_cast<double>(2 * queries.size() + 2 * tokens * layout.token_stride()),
         4.0 * seen * static_cast<double>(row), [&, rung](Stream& stream) { attention_prefill(rung, stream, call); }});
  };
  job("naive", PrefillRung::naive);
  job("tiled", PrefillRung::tiled);
  job("mma", PrefillRung::mma);
}

}  // namespace

void bench_prefill(const std::function<void(const Job&)>& run) {
  bench_heads(run, kIsLarge ? 16 : 2, kIsLarge ? 16 : 2);
  bench_heads(run, kIsLarge ? 32 : 4, kIsLarge ? 8 : 1);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
