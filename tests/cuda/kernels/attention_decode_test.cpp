// The rungs of attention_decode against double, the CPU reference and their own header table.

#include "cuda/kernels/attention_decode.cuh"

#include <limits>
#include <string>
#include <vector>

#include "cpu_reference/attention/paged.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/decode_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::KvLayout;
using kvarium::MisuseError;
using kvarium_test::DecodeProblem;
using kvarium_test::DecodeResult;
using kvarium_test::DecodeShape;
using kvarium_test::ExactHead;
using kvarium_test::fault_of;
using kvarium_test::traffic_of;

namespace {

constexpr AttentionDecodeRung kRungs[] = {AttentionDecodeRung::warp_a_head};

template <typename T>
DecodeResult<T> run(AttentionDecodeRung rung, const DecodeProblem<T>& problem) {
  return problem.run([&](Stream& stream, const AttentionDecode<T>& call) { attention_decode(rung, stream, call); });
}

template <typename T>
void check_all_shapes(const std::vector<unsigned>& head_dims) {
  const std::vector<unsigned> lengths = {1, 17, 0, 33, 8, 70};
  for (const unsigned dim : head_dims) {
    for (const DecodeShape& shape : {DecodeShape{{16, 2, dim}, 2}, DecodeShape{{5, 1, dim}, 4},
                                     DecodeShape{{8, 2, dim}, 6, 3}, DecodeShape{{32, 1, dim}, 8, 1, 19}}) {
      const DecodeProblem<T> problem(shape, lengths, dim);
      for (const AttentionDecodeRung rung : kRungs) {
        INFO("head_dim " << dim << ", block size " << shape.layout.block_size << ", query heads " << shape.query_heads
                         << ", rung " << static_cast<int>(rung));
        CHECK(problem.error(run(rung, problem)) <= 1);
      }
    }
  }
}

/// `problem` as the CPU reference computes it.
std::vector<float> reference(const DecodeProblem<float>& problem) {
  const KvLayout& layout = problem.shape.layout;
  kvarium::cpu::ThreadPool threads(1);
  kvarium::Work work;
  std::vector<float> result;
  for (std::size_t s = 0; s < problem.lengths.size(); ++s) {
    std::vector<kvarium::cpu::KvRun> runs;
    for (unsigned first = 0; first < problem.lengths[s]; first += layout.block_size) {
      const std::size_t place = problem.place(s, first, 0);
      runs.push_back({problem.keys.data() + place, problem.values.data() + place,
                      std::min(layout.block_size, problem.lengths[s] - first)});
    }
    const auto rows = static_cast<kvarium::cpu::Index>(problem.shape.new_tokens);
    const auto width = static_cast<kvarium::cpu::Index>(problem.shape.query_heads * layout.head_dim);
    const std::size_t numbers = static_cast<std::size_t>(rows * width);
    kvarium::cpu::Matrix queries(rows, width), out(rows, width);
    std::copy_n(problem.queries.data() + s * numbers, numbers, queries.data());
    kvarium::cpu::attention_paged(queries, problem.lengths[s] - problem.shape.new_tokens, runs,
                                  {problem.shape.query_heads, layout.kv_heads, layout.head_dim}, problem.shape.window,
                                  out, threads, work);
    result.insert(result.end(), out.data(), out.data() + numbers);
  }
  return result;
}

}  // namespace

TEST_CASE("attention_decode: every rung gives the equation's result, for sizes that do not divide") {
  check_all_shapes<float>({16, 32, 64, 128});
  check_all_shapes<f16>({32, 128});
  check_all_shapes<bf16>({64, 128});
}

TEST_CASE("attention_decode: one warp a head takes heads of any width") {
  for (const unsigned dim : {1U, 7U, 33U, 256U}) {
    const DecodeProblem<float> problem({{4, 1, dim}, 2}, {9, 40});
    CHECK(problem.error(run(AttentionDecodeRung::warp_a_head, problem)) <= 1);
  }
}

TEST_CASE("attention_decode: kernels and CPU reference agree, also for several new tokens and a window") {
  for (const DecodeShape& shape :
       {DecodeShape{{8, 2, 32}, 8}, DecodeShape{{16, 1, 64}, 4, 8}, DecodeShape{{4, 2, 16}, 4, 2, 11}}) {
    const DecodeProblem<float> problem(shape, {8, 61, 30});
    const std::vector<float> expected = reference(problem);
    CHECK(problem.error({expected, run(kRungs[0], problem).lse}) <= 1);  // each within the tolerance of double
    for (const AttentionDecodeRung rung : kRungs) {
      const DecodeResult<float> got = run(rung, problem);
      for (std::size_t i = 0; i < got.out.size(); ++i) {
        const ExactHead exact = problem.exact(i / problem.dim());
        REQUIRE(std::fabs(got.out[i] - expected[i]) <= 2 * exact.tolerance[i % problem.dim()]);
      }
    }
  }
}

TEST_CASE("attention_decode: every order of threads gives the same bits") {
  const DecodeProblem<float> problem({{8, 2, 32}, 8}, {70, 3});
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeResult<float> forward = run(rung, problem);
    for (const auto order : kvarium_test::kOrders) {
      emulator::Emulation options;
      options.order = order;
      const emulator::UseEmulation use(options);
      const DecodeResult<float> again = run(rung, problem);
      CHECK(again.out == forward.out);
      CHECK(again.lse == forward.lse);
    }
  }
}

TEST_CASE("attention_decode: an empty sequence has the output 0 and a log-sum-exp of -infinity") {
  const DecodeProblem<float> problem({{4, 1, 32}, 2, 2}, {0, 1, 5});
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeResult<float> got = run(rung, problem);
    // Both tokens of sequence 0, and the first of sequence 1, whose only cached token is the second.
    for (std::size_t i = 0; i < std::size_t{3} * 2 * 32; ++i) REQUIRE(got.out[i] == 0.0F);
    for (std::size_t head = 0; head < 6; ++head) CHECK(got.lse[head] == -INFINITY);
    CHECK(std::isfinite(got.lse[6]));
    DecodeProblem<float> nothing({{4, 1, 32}, 2}, {});
    CHECK(run(rung, nothing).out.empty());
  }
}

TEST_CASE("attention_decode: scores of any size, and a NaN or an infinity in K stays with the heads that read it") {
  for (const AttentionDecodeRung rung : kRungs) {
    DecodeProblem<float> problem({{4, 2, 32}, 4}, {9, 9});
    for (float& query : problem.queries) query *= 3e4F;
    CHECK(problem.error(run(rung, problem)) <= 1);
    for (const float poison : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY}) {
      DecodeProblem<float> poisoned({{4, 2, 32}, 4}, {9, 9});
      const DecodeResult<float> clean = run(rung, poisoned);
      const std::size_t place = poisoned.place(1, 6, 1);
      for (std::size_t i = 0; i < 32; ++i) poisoned.keys[place + i] = poison;  // of both signs in the product: NaN
      const DecodeResult<float> got = run(rung, poisoned);
      for (std::size_t head = 0; head < 8; ++head) {
        const bool reads_it = head >= 6;  // of sequence 1, query heads 2 and 3
        CHECK(std::isnan(got.out[head * 32]) == reads_it);
        CHECK((got.lse[head] == clean.lse[head]) == !reads_it);
      }
    }
  }
}

TEST_CASE("attention_decode: scores that are all -infinity weigh nothing") {
  DecodeProblem<float> problem({{4, 1, 32}, 1}, {6});
  for (float& query : problem.queries) query = std::fabs(query) + 1;
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 0; i < 32; ++i) problem.keys[problem.place(0, j, 0) + i] = -INFINITY;
  }
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeResult<float> got = run(rung, problem);
    CHECK(got.out == std::vector<float>(32, 0.0F));
    CHECK(got.lse[0] == -INFINITY);
  }
}

TEST_CASE("attention_decode: a wrong block table is told with its sequence") {
  for (const AttentionDecodeRung rung : kRungs) {
    DecodeProblem<float> problem({{4, 1, 32}, 2}, {9, 3, 9});
    problem.tables[2 * problem.most_blocks + 1] = 17;
    CHECK(fault_of([&] {
            run(rung, problem);
          }).find("entry 1 of the block table of sequence 2 is block 17; the cache has 10") != std::string::npos);
    DecodeProblem<float> longer({{4, 1, 32}, 2}, {9, 3, 9});
    longer.lengths[2] = 13;
    CHECK(fault_of([&] { run(rung, longer); }).find("sequence 2 needs entry 3 of its block table, which has 3") !=
          std::string::npos);
  }
}

TEST_CASE("attention_decode: heads and sizes that do not fit are refused") {
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeProblem<float> odd({{4, 2, 32}, 4}, {5});
    CHECK_THROWS_WITH(odd.run([&](Stream& stream, AttentionDecode<float> call) {
      call.query_heads = 5;
      attention_decode(rung, stream, call);
    }),
                      "attention_decode: 5 query heads cannot share 2 KV heads");
    CHECK_THROWS_AS(odd.run([&](Stream& stream, AttentionDecode<float> call) {
      call.query_heads = 0;
      attention_decode(rung, stream, call);
    }),
                    MisuseError);
    CHECK_THROWS_WITH(odd.run([&](Stream& stream, AttentionDecode<float> call) {
      call.sequences = 1U << 30U;
      call.new_tokens = 4;
      attention_decode(rung, stream, call);
    }),
                      "attention_decode: 4294967296 new tokens, one launch takes up to 2147483647");
  }
  CHECK_THROWS_WITH(run(AttentionDecodeRung::warp_a_head, DecodeProblem<float>({{4, 1, 300}, 1}, {3})),
                    "attention_decode: one warp a head takes heads of 1 to 256 numbers, not of 300");
}

TEST_CASE("attention_decode: each rung moves the bytes of its header table") {
  // 8 query heads share 2 KV heads of 64 floats: d s = 256. One token of 70.
  const DecodeProblem<float> problem({{8, 2, 64}, 8}, {70});
  const auto moved = [&](AttentionDecodeRung rung) { return traffic_of([&] { run(rung, problem); }).bytes; };
  const std::size_t row = 256, lse = 8 * 4;
  const std::size_t lengths = std::size_t{8} * 32 * 4;
  CHECK(moved(AttentionDecodeRung::warp_a_head) == 8 * (2 * 70 * row + 4 * 70 + 2 * row) + lengths + lse);
}
