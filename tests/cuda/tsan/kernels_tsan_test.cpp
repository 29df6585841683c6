// The kernels themselves under ThreadSanitizer, whole and with a line left out.

#include <vector>

#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/embed.cuh"
#include "cuda/kernels/linear.cuh"
#include "cuda/kernels/quantize_kv.cuh"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/kernels/rope.cuh"
#include "cuda/kernels/sampling.cuh"
#include "cuda/kernels/softmax.cuh"
#include "cuda/kernels/store_kv.cuh"
#include "cuda/kernels/swiglu.cuh"
#include "tests/cuda/kernels/quantize_keys_problem.h"
#include "tests/cuda/kernels/verify_draft_problem.h"
#include "tests/cuda/tsan/launched.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::Emulation;
using kvarium_test::reports_of;

namespace {

std::vector<float> ones(std::size_t count) { return std::vector<float>(count, 1.0F); }

void run_rms_norm(RmsNormRung rung) {
  const DeviceBuffer<float> x(ones(std::size_t{3} * 256)), weight(ones(256));
  DeviceBuffer<float> y(std::size_t{3} * 256);
  Stream stream;
  rms_norm<float>(rung, stream, x.ptr(), weight.ptr(), 1e-5F, y.ptr(), 3, 256);
  stream.synchronize();
}

void run_store_kv(StoreKvRung rung, const std::vector<long long>& slots) {
  const kvarium::KvLayout layout{4, 1, 32};
  const DeviceBuffer<float> rows(ones(slots.size() * 32));
  const DeviceBuffer<long long> on_device(slots);
  DeviceBuffer<float> keys(4 * layout.block_stride()), values(4 * layout.block_stride());
  Stream stream;
  store_kv<float>(rung, stream, {rows.ptr(), rows.ptr(), on_device.ptr(), keys.ptr(), values.ptr()},
                  static_cast<int>(slots.size()), layout);
  stream.synchronize();
}

void run_copy_blocks(const std::vector<BlockPair>& pairs) {
  const kvarium::KvLayout layout{4, 1, 32};
  DeviceBuffer<float> keys(ones(2 * 4 * layout.block_stride())), values(ones(2 * 4 * layout.block_stride()));
  DeviceBuffer<BlockPair> list(pairs.size());
  Stream stream;
  copy_blocks<float>(CopyBlocksRung::packs, stream, {keys.ptr(), values.ptr(), 2, 4, layout}, pairs, list);
  stream.synchronize();
}

void run_quantize_kv(QuantizeKvRung rung, const std::vector<long long>& slots) {
  const kvarium::KvLayout layout{4, 2, 32};
  const DeviceBuffer<float> rows(ones(slots.size() * 64));
  const DeviceBuffer<long long> on_device(slots);
  DeviceBuffer<i4x2> keys(16 * 32), values(16 * 32);
  DeviceBuffer<float> key_scales(32), value_scales(32);
  Stream stream;
  quantize_kv<float, i4x2>(
      rung, stream,
      {{rows.ptr(), keys.ptr(), key_scales.ptr()}, {rows.ptr(), values.ptr(), value_scales.ptr()}, on_device.ptr()},
      static_cast<int>(slots.size()), layout);
  stream.synchronize();
}

template <typename T>
void run_linear(LinearRung rung) {
  const DeviceBuffer<T> x(std::vector<T>(std::size_t{3} * 160)), weight(std::vector<T>(std::size_t{5} * 160));
  DeviceBuffer<T> y(std::size_t{3} * 5);
  Stream stream;
  linear<T, T>(rung, stream, {x.ptr(), weight.ptr(), nullptr, y.ptr(), 3, 160, 5});
  stream.synchronize();
}

/// Reports of `work` without its ordering line `index`.
template <typename Work>
int reports_without(std::size_t index, const Work& work) {
  std::vector<emulator::Site> orderings;
  Emulation collecting;
  collecting.orderings = &orderings;
  reports_of(collecting, work);
  Emulation mutant;
  mutant.without = orderings.at(index);
  return reports_of(mutant, work);
}

void run_rope(RopePairs pairs) {
  const DeviceBuffer<int> positions(std::vector<int>{3, 4});
  const DeviceBuffer<double> frequencies(std::vector<double>(8, 0.5));
  DeviceBuffer<float> cosines(16), sines(16), x(ones(2 * 48));
  Stream stream;
  rope_angles(stream, positions.ptr(), frequencies.ptr(), cosines.ptr(), sines.ptr(), 2, 8);
  for (const auto rung : {RopeRung::number, RopeRung::packs}) {
    rope<float>(rung, stream, {x.ptr(), 2, 3, 48, 16}, {cosines.ptr(), sines.ptr(), 8}, pairs);
  }
  stream.synchronize();
}

void run_feed_forward() {
  const DeviceBuffer<int> tokens(std::vector<int>{1, 1, 0});
  const DeviceBuffer<float> table(ones(2 * 32));
  DeviceBuffer<float> x(3 * 32);
  Stream stream;
  for (const auto rung : {EmbedRung::number, EmbedRung::packs}) {
    embed<float>(rung, stream, {table.ptr(), tokens.ptr(), x.ptr(), 3, 2, 32});
  }
  for (const auto rung : {ActivateRung::number, ActivateRung::packs}) {
    swiglu<float>(rung, stream, x.ptr(), x.ptr(), 3 * 32);
    gelu<float>(rung, stream, x.ptr(), 3 * 32);
  }
  stream.synchronize();
}

void run_softmax(SoftmaxRung rung) {
  const DeviceBuffer<float> x(ones(2 * 64));
  DeviceBuffer<float> y(2 * 64);
  Stream stream;
  softmax<float>(rung, stream, x.ptr(), y.ptr(), 1, 2, 64);
  stream.synchronize();
}

void run_sampling() {
  const DeviceBuffer<float> logits(ones(2 * 64));
  const DeviceBuffer<SampleParams> params(std::vector<SampleParams>{{1, 8, 0.5F, 0.5}, {0, 0, 1, 0}});
  DeviceBuffer<int> tokens(2);
  Stream stream;
  sample<float>(stream, logits.ptr(), params.ptr(), tokens.ptr(), 2, 64);
  for (const auto rung : {ArgmaxRung::thread, ArgmaxRung::block}) {
    argmax<float>(rung, stream, logits.ptr(), tokens.ptr(), 2, 64);
  }
  stream.synchronize();
}

}  // namespace

TEST_CASE("ThreadSanitizer: the rungs of rms_norm are silent, and the barrier of the third is needed") {
  for (const auto rung : {RmsNormRung::thread_a_token, RmsNormRung::warp_a_token, RmsNormRung::block_a_token}) {
    CHECK(reports_of({}, [&] { run_rms_norm(rung); }) == 0);
  }
  CHECK(reports_without(0, [] { run_rms_norm(RmsNormRung::block_a_token); }) > 0);
}

TEST_CASE("ThreadSanitizer: the rungs of linear are silent, and the barriers around their tiles are needed") {
  for (const auto rung : {LinearRung::plain, LinearRung::tiled, LinearRung::mma, LinearRung::few}) {
    CHECK(reports_of({}, [&] { run_linear<bf16>(rung); }) == 0);
  }
  // Two barriers of one kernel keep the same two lines apart, which are told once: two instances.
  CHECK(reports_without(0, [] { run_linear<bf16>(LinearRung::tiled); }) > 0);
  CHECK(reports_without(1, [] { run_linear<float>(LinearRung::tiled); }) > 0);
  CHECK(reports_without(1, [] { run_linear<bf16>(LinearRung::mma); }) > 0);  // line 0, the wait, is no race: stale
}

TEST_CASE("ThreadSanitizer: store_kv is silent, unless two tokens are given one slot") {
  CHECK(reports_of({}, [] { run_store_kv(StoreKvRung::numbers, {3, 9, 5, kNoSlot}); }) == 0);
  CHECK(reports_of({}, [] { run_store_kv(StoreKvRung::packs, {3, 9, 5, kNoSlot}); }) == 0);
  CHECK(reports_of({}, [] { run_store_kv(StoreKvRung::packs, {3, 3}); }) > 0);
}

TEST_CASE("ThreadSanitizer: copy_blocks is silent, also where one copy needs another's result") {
  CHECK(reports_of({}, [] { run_copy_blocks({{0, 1, 4}, {0, 2, 4}, {1, 3, 4}}); }) == 0);
}

TEST_CASE("ThreadSanitizer: quantize_kv is silent, unless two tokens are given one slot") {
  for (const auto rung : {QuantizeKvRung::thread, QuantizeKvRung::packs}) {
    CHECK(reports_of({}, [&] { run_quantize_kv(rung, {3, 9, 5, kNoSlot}); }) == 0);
    CHECK(reports_of({}, [&] { run_quantize_kv(rung, {3, 3}); }) > 0);
  }
}

TEST_CASE("ThreadSanitizer: embed, rope, swiglu and gelu are silent: every thread has numbers of its own") {
  CHECK(reports_of({}, [] { run_rope(RopePairs::interleaved); }) == 0);
  CHECK(reports_of({}, [] { run_rope(RopePairs::halves); }) == 0);
  CHECK(reports_of({}, run_feed_forward) == 0);
}

TEST_CASE("ThreadSanitizer: softmax, argmax and sample are silent, and the barriers of their sums are needed") {
  CHECK(reports_of({}, [] { run_softmax(SoftmaxRung::thread); }) == 0);
  CHECK(reports_of({}, [] { run_softmax(SoftmaxRung::block); }) == 0);
  CHECK(reports_of({}, run_sampling) == 0);
  CHECK(reports_without(1, [] { run_softmax(SoftmaxRung::block); }) > 0);
}

TEST_CASE("ThreadSanitizer: verify_draft is silent, and the barrier behind its sums is needed") {
  const kvarium_test::VerifyProblem<float> problem(70, {2, 0}, true);
  CHECK(reports_of({}, [&] { problem.run(VerifyRung::thread); }) == 0);
  CHECK(reports_of({}, [&] { problem.run(VerifyRung::block); }) == 0);
  const kvarium_test::VerifyProblem<float> bonus(70, {0}, true);  // no thread turns off without the barrier
  CHECK(reports_without(0, [&] { bonus.run(VerifyRung::block); }) > 0);
}

TEST_CASE("ThreadSanitizer: quantize_keys is silent, and its barrier is needed") {
  const kvarium_test::QuantizeKeysProblem<float, i4x2> problem({4, 2, 32}, {{0, 1, 4}, {2, 0, 3}});
  CHECK(reports_of({}, [&] { problem.run(QuantizeKeysRung::thread); }) == 0);
  CHECK(reports_of({}, [&] { problem.run(QuantizeKeysRung::shared); }) == 0);
  CHECK(reports_without(0, [&] { problem.run(QuantizeKeysRung::shared); }) > 0);
}
