// attention_decode over codes: the attention over the numbers they stand for, with the bytes of the header table.

#include "cuda/kernels/attention_decode_quantized.cuh"

#include <string>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/quantized_decode_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::DecodeResult;
using kvarium_test::DecodeShape;
using kvarium_test::fault_of;
using kvarium_test::QuantizedDecodeProblem;
using kvarium_test::traffic_of;

namespace {

/// One kernel, for heads of 64 in groups of 3.
template <typename T, typename Code>
double error_of_one_kernel() {
  const QuantizedDecodeProblem<T, Code> problem({{5, 2, 64}, 6, 2}, {17, 0, 50});
  using Call = typename QuantizedDecodeProblem<T, Code>::Call;
  return problem.error(problem.run_with([&](Stream& stream, const Call& call) {
    launch(attention_decode_vectors<Call, 64, 4>, decode_blocks(call, 4), kDecodeWarps * 32, 0, stream, call,
           DecodeParts{});
  }));
}

}  // namespace

TEST_CASE("attention_decode_quantized: the attention over the numbers that the codes stand for") {
  CHECK(error_of_one_kernel<float, i8>() <= 1);
  CHECK(error_of_one_kernel<float, i4x2>() <= 1);
  CHECK(error_of_one_kernel<f16, i8>() <= 1);
  CHECK(error_of_one_kernel<bf16, e4m3>() <= 1);
  CHECK(error_of_one_kernel<bf16, i4x2>() <= 1);
  for (const DecodeShape& shape :
       {DecodeShape{{16, 2, 16}, 2}, DecodeShape{{8, 1, 128}, 4}, DecodeShape{{32, 1, 32}, 9, 1, 19}}) {
    const QuantizedDecodeProblem<float, e4m3> problem(shape, {17, 0, 50});
    for (const unsigned splits : {1U, 3U}) {
      INFO("head_dim " << shape.layout.head_dim << ", splits " << splits);
      CHECK(problem.error(problem.run(splits)) <= 1);
    }
  }
}

TEST_CASE("attention_decode_quantized: every order of threads gives the same bits, and a wrong block is told") {
  QuantizedDecodeProblem<float, e4m3> problem({{8, 2, 32}, 8}, {40, 3});
  const DecodeResult<float> forward = problem.run(2);
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    CHECK(problem.run(2).out == forward.out);
  }
  problem.numbers.tables[1 * problem.numbers.most_blocks] = 99;
  CHECK(fault_of([&] { problem.run(1); }).find("of the block table of sequence 1 is block 99") != std::string::npos);
}

TEST_CASE("attention_decode_quantized: a NaN in K, which is one in its scale, stays with the heads that read it") {
  QuantizedDecodeProblem<float, e4m3> problem({{4, 2, 32}, 4}, {9, 9});
  std::vector<float> scales = problem.keys.scales.download();
  scales[problem.numbers.place(1, 6, 1) / 32] = NAN;
  problem.keys.scales.upload(scales.data(), scales.size());
  const DecodeResult<float> got = problem.run(1);
  for (std::size_t head = 0; head < 8; ++head) CHECK(std::isnan(got.out[head * 32]) == (head >= 6));
}

TEST_CASE("attention_decode_quantized: the bytes of the header table") {
  // 8 query heads share 2 KV heads of 64 numbers. One token of 70.
  const auto moved = [](const auto& problem) { return traffic_of([&] { problem.run(1); }).bytes; };
  const std::size_t lengths = std::size_t{2} * 128 * 4, lse = 8 * 4;
  const std::size_t others = 8 * (1024 * 4 + 64 * 4) + lengths + lse;
  CHECK(moved(QuantizedDecodeProblem<float, e4m3>({{8, 2, 64}, 8}, {70})) ==
        2 * (2 * 70 * (64 + 4 * 8) + 4 * 70) + others);
}

TEST_CASE("attention_decode_quantized: codes of a row come in whole sectors") {
  const QuantizedDecodeProblem<float, e4m3> problem({{16, 2, 64}, 8}, {70});
  const auto codes = traffic_of([&] { problem.run(1); }, "codes");
  CHECK(codes.bytes == std::size_t{2} * 2 * 70 * 64);
  CHECK(codes.sectors == codes.bytes / 32);
}
