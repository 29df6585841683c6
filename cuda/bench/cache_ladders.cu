// The kernels that write the cache, and rms_norm, which is bound by memory like them.

#include <numeric>

#include "cuda/bench/bench.h"
#include "cuda/bench/fill.cuh"
#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/kernels/store_kv.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

namespace {

using Run = std::function<void(const Job&)>;

void bench_store_kv(const Run& run) {
  const KvLayout layout = {16, 8, 128};
  const unsigned tokens = kIsLarge ? 65536 : 8, width = static_cast<unsigned>(layout.token_stride());
  const DeviceBuffer<bf16> keys = filled<bf16>(std::size_t{tokens} * width, 1, "keys"),
                           values = filled<bf16>(std::size_t{tokens} * width, 2, "values");
  DeviceBuffer<bf16> key_cache(keys.size(), "key_cache"), value_cache(keys.size(), "value_cache");
  std::vector<long long> slots(tokens);
  std::iota(slots.rbegin(), slots.rend(), 0LL);
  const DeviceBuffer<long long> on_device(slots, "slots");
  const StoreKv<bf16> data = {keys.ptr(), values.ptr(), on_device.ptr(), key_cache.ptr(), value_cache.ptr()};
  const auto job = [&](const char* name, StoreKvRung rung) {
    run({"store_kv", name, std::to_string(tokens) + " tokens of 8 heads of 128, bf16", tokens * (4.0 * width * 2 + 8),
         0, [&, rung](Stream& stream) { store_kv<bf16>(rung, stream, data, static_cast<int>(tokens), layout); }});
  };
  job("numbers", StoreKvRung::numbers);
  job("packs", StoreKvRung::packs);
}

void bench_copy_blocks(const Run& run) {
  const KvLayout layout = {16, 8, 128};
  const unsigned layers = kIsLarge ? 16 : 1, pairs = kIsLarge ? 512 : 2, blocks = 2 * pairs;
  const std::size_t count = std::size_t{layers} * blocks * layout.block_stride();
  DeviceBuffer<bf16> keys = filled<bf16>(count, 1, "keys"), values = filled<bf16>(count, 2, "values");
  std::vector<BlockPair> list;
  for (unsigned i = 0; i < pairs; ++i) list.push_back({2 * i, 2 * i + 1, layout.block_size});
  DeviceBuffer<BlockPair> room(pairs, "pairs");
  const double bytes = 8.0 * layers * pairs * static_cast<double>(layout.block_stride());
  const auto job = [&](const char* name, CopyBlocksRung rung) {
    run({"copy_blocks", name,
         std::to_string(pairs) + " blocks of 16 tokens, " + std::to_string(layers) + " layers, bf16", bytes, 0,
         [&, rung](Stream& stream) {
           copy_blocks<bf16>(rung, stream, {keys.ptr(), values.ptr(), layers, blocks, layout}, list, room);
         }});
  };
  job("numbers", CopyBlocksRung::numbers);
  job("packs", CopyBlocksRung::packs);
}

void bench_rms_norm(const Run& run) {
  const int tokens = kIsLarge ? 65536 : 8, width = kIsLarge ? 4096 : 256;
  const std::size_t count = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(width);
  const DeviceBuffer<bf16> x = filled<bf16>(count, 1, "x"),
                           weight = filled<bf16>(static_cast<std::size_t>(width), 2, "weight");
  DeviceBuffer<bf16> y(count, "y");
  const auto job = [&](const char* name, RmsNormRung rung) {
    run({"rms_norm", name, std::to_string(tokens) + " tokens of width " + std::to_string(width) + ", bf16",
         4.0 * static_cast<double>(count), 0, [&, rung](Stream& stream) {
           rms_norm<bf16>(rung, stream, x.ptr(), weight.ptr(), 1e-5F, y.ptr(), tokens, width);
         }});
  };
  job("thread_a_token", RmsNormRung::thread_a_token);
  job("warp_a_token", RmsNormRung::warp_a_token);
  job("block_a_token", RmsNormRung::block_a_token);
}

}  // namespace

void bench_cache(const Run& run) {
  bench_store_kv(run);
  bench_copy_blocks(run);
  bench_rms_norm(run);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
