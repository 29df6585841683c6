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

constexpr AttentionDecodeRung kRungs[] = {AttentionDecodeRung::warp_a_head, AttentionDecodeRung::vectors,
                                          AttentionDecodeRung::split};

/// Heads of all sizes, shared in several ways, in blocks of several sizes; several new tokens; a window.
template <typename T>
void check_all_shapes() {
  for (const DecodeShape& shape : {DecodeShape{{16, 2, 16}, 2}, DecodeShape{{5, 1, 128}, 4},
                                   DecodeShape{{8, 2, 32}, 6, 3}, DecodeShape{{32, 1, 64}, 9, 1, 19}}) {
    const DecodeProblem<T> problem(shape, {17, 0, 70});
    for (const AttentionDecodeRung rung : kRungs) {
      INFO("head_dim " << shape.layout.head_dim << ", block size " << shape.layout.block_size << ", query heads "
                       << shape.query_heads << ", rung " << static_cast<int>(rung));
      CHECK(problem.error(problem.run(rung)) <= 1);
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
  check_all_shapes<float>();
  check_all_shapes<f16>();
  check_all_shapes<bf16>();
}

TEST_CASE("attention_decode: one warp a head takes heads of any width") {
  for (const unsigned dim : {1U, 7U, 33U, 256U}) {
    const DecodeProblem<float> problem({{4, 1, dim}, 2}, {9, 40});
    CHECK(problem.error(problem.run(AttentionDecodeRung::warp_a_head)) <= 1);
  }
}

TEST_CASE("attention_decode: kernels and CPU reference agree, also for several new tokens and a window") {
  for (const DecodeShape& shape :
       {DecodeShape{{8, 2, 32}, 8}, DecodeShape{{16, 1, 16}, 4, 8}, DecodeShape{{4, 2, 16}, 4, 2, 11}}) {
    const DecodeProblem<float> problem(shape, {8, 45});
    const std::vector<float> expected = reference(problem);
    CHECK(problem.error({expected, problem.run(kRungs[0]).lse}) <= 1);  // each within the tolerance of double
    for (const AttentionDecodeRung rung : kRungs) {
      const DecodeResult<float> got = problem.run(rung);
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
    const DecodeResult<float> forward = problem.run(rung);
    for (const auto order : kvarium_test::kOrders) {
      emulator::Emulation options;
      options.order = order;
      const emulator::UseEmulation use(options);
      const DecodeResult<float> again = problem.run(rung);
      CHECK(again.out == forward.out);
      CHECK(again.lse == forward.lse);
    }
  }
}

TEST_CASE("attention_decode: an empty sequence has the output 0 and a log-sum-exp of -infinity") {
  const DecodeProblem<float> problem({{4, 1, 32}, 2, 2}, {0, 1, 5});
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeResult<float> got = problem.run(rung);
    // Both tokens of sequence 0, and the first of sequence 1, whose only cached token is the second.
    for (std::size_t i = 0; i < std::size_t{3} * 2 * 32; ++i) REQUIRE(got.out[i] == 0.0F);
    for (std::size_t head = 0; head < 6; ++head) CHECK(got.lse[head] == -INFINITY);
    CHECK(std::isfinite(got.lse[6]));
    DecodeProblem<float> nothing({{4, 1, 32}, 2}, {});
    CHECK(nothing.run(rung).out.empty());
  }
}

TEST_CASE("attention_decode: scores of any size, and a NaN or an infinity in K stays with the heads that read it") {
  for (const AttentionDecodeRung rung : kRungs) {
    DecodeProblem<float> problem({{4, 2, 32}, 4}, {9, 9});
    for (float& query : problem.queries) query *= 3e4F;
    CHECK(problem.error(problem.run(rung)) <= 1);
    for (const float poison : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY}) {
      DecodeProblem<float> poisoned({{4, 2, 32}, 4}, {9, 9});
      const DecodeResult<float> clean = poisoned.run(rung);
      const std::size_t place = poisoned.place(1, 6, 1);
      for (std::size_t i = 0; i < 32; ++i) poisoned.keys[place + i] = poison;  // of both signs in the product: NaN
      const DecodeResult<float> got = poisoned.run(rung);
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
    const DecodeResult<float> got = problem.run(rung);
    CHECK(got.out == std::vector<float>(32, 0.0F));
    CHECK(got.lse[0] == -INFINITY);
  }
}

TEST_CASE("attention_decode: a wrong block table is told with its sequence") {
  for (const AttentionDecodeRung rung : kRungs) {
    DecodeProblem<float> problem({{4, 1, 32}, 2}, {9, 3, 9});
    problem.tables[2 * problem.most_blocks + 1] = 17;
    CHECK(fault_of([&] {
            problem.run(rung);
          }).find("entry 1 of the block table of sequence 2 is block 17; the cache has 10") != std::string::npos);
    DecodeProblem<float> longer({{4, 1, 32}, 2}, {9, 3, 9});
    longer.lengths[2] = 13;
    CHECK(fault_of([&] { longer.run(rung); }).find("sequence 2 needs entry 3 of its block table, which has 3") !=
          std::string::npos);
  }
}

TEST_CASE("attention_decode: heads and sizes that do not fit are refused") {
  for (const AttentionDecodeRung rung : kRungs) {
    const DecodeProblem<float> odd({{4, 2, 32}, 4}, {5});
    CHECK_THROWS_WITH(odd.run_with([&](Stream& stream, AttentionDecode<float> call) {
      call.query_heads = 5;
      attention_decode(rung, stream, call);
    }),
                      "attention_decode: 5 query heads cannot share 2 KV heads");
    CHECK_THROWS_AS(odd.run_with([&](Stream& stream, AttentionDecode<float> call) {
      call.query_heads = 0;
      attention_decode(rung, stream, call);
    }),
                    MisuseError);
    CHECK_THROWS_WITH(
        odd.run_with([&](Stream& stream, AttentionDecode<float> call) {
          call.sequences = 1U << 30U;
          call.new_tokens = 4;
          attention_decode(rung, stream, call);
        }),
        "attention_decode: 4294967296 new tokens of 4 query heads, one launch takes up to 2147483647 heads");
  }
}

TEST_CASE("attention_decode: rungs refuse the heads that they cannot take") {
  CHECK_THROWS_WITH(DecodeProblem<float>({{4, 1, 300}, 1}, {3}).run(AttentionDecodeRung::warp_a_head),
                    "attention_decode: one warp a head takes heads of 1 to 256 numbers, not of 300");
  CHECK_THROWS_WITH(DecodeProblem<float>({{4, 1, 48}, 1}, {3}).run(AttentionDecodeRung::vectors),
                    "attention_decode: vectors take heads of 16, 32, 64 or 128 numbers, not of 48");
  CHECK_THROWS_WITH(
      DecodeProblem<float>({{4, 1, 32}, 1}, {3}).run_with([](Stream& stream, AttentionDecode<float> call) {
        call.kv.tables.num_blocks = 1U << 30U;
        attention_decode(AttentionDecodeRung::vectors, stream, call);
      }),
      "attention_decode: a cache of 4294967296 rows; vectors count up to 4294967294");
}

TEST_CASE("attention_decode: any number of splits gives the result of one") {
  const DecodeProblem<float> problem({{16, 1, 32}, 2}, {300, 0, 33, 129});
  const DecodeResult<float> whole = problem.run(AttentionDecodeRung::vectors);
  CHECK(problem.run(AttentionDecodeRung::split, 1).out == whole.out);
  for (const unsigned splits : {2U, 5U, 64U}) {
    INFO(splits << " splits");
    CHECK(problem.error(problem.run(AttentionDecodeRung::split, splits)) <= 1);
  }
  CHECK_THROWS_WITH(problem.run(AttentionDecodeRung::split, 65), "attention over 65 splits; there are 1 to 64");
}

TEST_CASE("attention_decode: so many splits that few sequences fill a device, and no more than that") {
  CHECK(decode_splits(528, 8192, 528) == 1);
  CHECK(decode_splits(5280, 8192, 528) == 1);
  CHECK(decode_splits(8, 131072, 528) == 60);  // 480 of 528
  CHECK(decode_splits(8, 8192, 528) == 32);    // 256 keys each
  CHECK(decode_splits(8, 300, 528) == 1);      // too short to be cut
  CHECK(decode_splits(512, 8192, 396) == 3);   // 1536 of 1584 instead of 512 of 792
  const DecodeProblem<bf16> problem({{16, 8, 128}, 32}, {40});
  problem.run_with([](Stream& stream, const AttentionDecode<bf16>& call) {
    CHECK(attention_decode_splits(call, 8192) == 32);
    AttentionDecode<bf16> many = call;
    many.sequences = 64;
    CHECK(attention_decode_splits(many, 8192) == 1);
    attention_decode(AttentionDecodeRung::vectors, stream, call);
  });
}

TEST_CASE("attention_decode: each rung moves the bytes of its header table") {
  // 8 query heads share 2 KV heads of 64 floats: d s = 256. One token of 70.
  const DecodeProblem<float> problem({{8, 2, 64}, 8}, {70});
  const auto moved = [&](AttentionDecodeRung rung) { return traffic_of([&] { problem.run(rung); }).bytes; };
  const std::size_t row = 256, lse = 8 * 4, lengths_of_warps = std::size_t{8} * 32 * 4;
  CHECK(moved(AttentionDecodeRung::warp_a_head) == 8 * (2 * 70 * row + 4 * 70 + 2 * row) + lengths_of_warps + lse);
  const std::size_t vectors = 2 * (2 * 70 * row + 4 * 70) + 8 * (row + 2048), lengths = std::size_t{2} * 128 * 4;
  CHECK(moved(AttentionDecodeRung::vectors) == vectors + lengths + lse);
  // p H (2048 + 8 d + 12), the first part's queries being among those of vectors. A thread of the merge reads the
  // log-sum-exp of each part twice.
  const std::size_t parts = std::size_t{3} * 8 * (2048 + 8 * 64 + 4 + 8 * 64) - std::size_t{8} * 2048;
  CHECK(moved(AttentionDecodeRung::split) == vectors + parts + 3 * lengths + lse);
}

TEST_CASE("attention_decode: vectors load whole sectors, once, however many query heads share a KV head") {
  const auto cache_traffic = [](unsigned query_heads) {
    const DecodeProblem<bf16> problem({{16, 2, 64}, query_heads}, {70});
    return traffic_of([&] { problem.run(AttentionDecodeRung::vectors); }, "keys");
  };
  const auto few = cache_traffic(2), many = cache_traffic(16);
  CHECK(few.bytes == std::size_t{2} * 70 * 128);
  CHECK(many.bytes == few.bytes);
  CHECK(many.sectors == few.bytes / 32);
}
