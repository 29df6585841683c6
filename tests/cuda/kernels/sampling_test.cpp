// softmax, argmax and sample against double, core/sampling and their own header tables.

#include "cuda/kernels/sampling.cuh"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/sampling/sampling.h"
#include "cpu_reference/operators/softmax.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/sampling_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::Sampler;
using kvarium::SamplingParams;
using kvarium_test::mixed_samples;
using kvarium_test::SampleProblem;
using kvarium_test::SoftmaxProblem;
using kvarium_test::traffic_of;

namespace {

constexpr SoftmaxRung kSoftmaxRungs[] = {SoftmaxRung::thread, SoftmaxRung::block};
constexpr ArgmaxRung kArgmaxRungs[] = {ArgmaxRung::thread, ArgmaxRung::block};

template <typename T>
void check_softmax() {
  for (const int columns : {1, 7, 100, 300}) {
    for (const float temperature : {1.0F, 0.5F}) {
      const SoftmaxProblem<T> problem(3, columns, temperature);
      for (const SoftmaxRung rung : kSoftmaxRungs) {
        INFO(columns << " columns, rung " << static_cast<int>(rung));
        CHECK(problem.error(problem.run(rung)) <= 1);
      }
    }
  }
}

std::vector<float> softmax_of(const std::vector<float>& row, SoftmaxRung rung) {
  SoftmaxProblem<float> problem(1, static_cast<int>(row.size()), 1);
  problem.x = row;
  return problem.run(rung);
}

/// The first number that a Sampler of this seed draws.
double first_uniform(std::uint64_t seed) { return static_cast<double>(std::mt19937_64(seed)() >> 11U) * 0x1p-53; }

}  // namespace

TEST_CASE("softmax: every rung gives the equation's result, masked entries are 0") {
  check_softmax<float>();
  check_softmax<f16>();
  check_softmax<bf16>();
}

TEST_CASE("softmax: kernels and CPU reference agree, also about what is masked or no number") {
  const SoftmaxProblem<float> problem(2, 50, 1);
  kvarium::cpu::Matrix x(2, 50);
  std::copy(problem.x.begin(), problem.x.end(), x.data());
  kvarium::cpu::softmax(x);
  CHECK(problem.error({x.data(), x.data() + 100}) <= 1);
  for (const SoftmaxRung rung : kSoftmaxRungs) {
    CHECK(softmax_of({-INFINITY, -INFINITY}, rung) == std::vector<float>{0, 0});
    CHECK(softmax_of({-20000, -INFINITY}, rung) == std::vector<float>{1, 0});
    CHECK(softmax_of({3e38F, -3e38F}, rung) == std::vector<float>{1, 0});
    for (const std::vector<float>& row : {std::vector<float>{NAN, 1}, {1, NAN, -INFINITY}, {INFINITY, 1}, {NAN}}) {
      for (const float y : softmax_of(row, rung)) CHECK(std::isnan(y));
    }
  }
}

TEST_CASE("softmax and argmax: the bytes of the header tables") {
  const SoftmaxProblem<float> problem(4, 256, 1);
  CHECK(traffic_of([&] { problem.run(SoftmaxRung::thread); }).bytes == 4 * 4 * 256 * 4);
  CHECK(traffic_of([&] { problem.run(SoftmaxRung::block); }).bytes == 4 * 3 * 256 * 4);
  const SampleProblem logits = mixed_samples(256, 4);
  for (const ArgmaxRung rung : kArgmaxRungs) {
    CHECK(traffic_of([&] { logits.largest(rung); }).bytes == 4 * (256 * 4 + 4));  // and the token
  }
}

TEST_CASE("softmax: a temperature that is none is refused, and no rows are no work") {
  for (const float temperature : {0.0F, -1.0F, std::nanf(""), INFINITY}) {
    CHECK_THROWS_AS(SoftmaxProblem<float>(1, 4, temperature).run(SoftmaxRung::block), kvarium::MisuseError);
  }
  for (const SoftmaxRung rung : kSoftmaxRungs) CHECK(SoftmaxProblem<float>(0, 4, 1).run(rung).empty());
  CHECK((SampleProblem{4, {}, {}}).sampled().empty());
}

TEST_CASE("argmax: core/sampling's token, the lowest of equals, in every order of threads") {
  const auto of = [](std::vector<float> row, ArgmaxRung rung) {
    const int vocab = static_cast<int>(row.size());
    return SampleProblem{vocab, std::move(row), {{}}}.largest(rung)[0];
  };
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    for (const ArgmaxRung rung : kArgmaxRungs) {
      for (const int vocab : {1, 7, 300}) {
        const SampleProblem problem = mixed_samples(vocab, 6);
        const std::vector<int> got = problem.largest(rung);
        for (std::size_t r = 0; r < got.size(); ++r) {
          const auto* const first = problem.row(r);
          CHECK(kvarium::TokenId{got[r]} == kvarium::argmax({first, first + vocab}));
        }
      }
      CHECK(of({-INFINITY, -INFINITY}, rung) == 0);
      CHECK(of({-0.0F, 0.0F}, rung) == 0);
      CHECK(of({1, INFINITY, INFINITY}, rung) == 1);
      CHECK(of({NAN, 1}, rung) == kNoToken);
      CHECK(of({1, 2, NAN}, rung) == kNoToken);
    }
  }
}

TEST_CASE("sample: the token that core/sampling draws for the same number") {
  for (const int vocab : {1, 5, 200}) {
    SampleProblem problem = mixed_samples(vocab, 48);
    std::vector<int> wanted;
    for (std::size_t r = 0; r < problem.params.size(); ++r) {
      SampleParams& how = problem.params[r];
      how.uniform = first_uniform(r);
      Sampler sampler(SamplingParams{how.temperature, how.top_k, how.top_p, r});
      wanted.push_back(kvarium::value(sampler.sample({problem.row(r), problem.row(r) + vocab})));
    }
    INFO(vocab << " tokens");
    CHECK(problem.sampled() == wanted);
    CHECK(problem.expected() == wanted);
  }
}

TEST_CASE("sample: the same tokens in every order of threads") {
  const SampleProblem problem = mixed_samples(70, 6);
  for (const auto order : kvarium_test::kOrders) {
    emulator::Emulation options;
    options.order = order;
    const emulator::UseEmulation use(options);
    CHECK(problem.sampled() == problem.expected());
  }
}

TEST_CASE("sample: equals at a cut are kept by their ids, whatever is drawn") {
  // Four equal logits: top-k 2 keeps ids 0 and 1; top-p 0.5 too; the uniform number then chooses one.
  for (const SampleParams& how : {SampleParams{1, 2, 1, 0}, {1, 0, 0.5F, 0}, {1, 3, 0.6F, 0}}) {
    SampleProblem problem{4, std::vector<float>(12, -0.0F), {how, how, how}};
    for (std::size_t i = 1; i < 12; i += 2) problem.logits[i] = 0;  // -0 and 0 are equal
    problem.params[1].uniform = 0.49;
    problem.params[2].uniform = 0.9999999;
    CHECK(problem.sampled() == std::vector<int>{0, 0, 1});
  }
}

TEST_CASE("sample: rows without a token to draw say so, and do not trouble others") {
  const float kInf = INFINITY;
  const SampleProblem problem{3,
                              {NAN, 1, 2, -kInf, -kInf, -kInf, -kInf, -kInf, -kInf, kInf, 1, kInf, 0, 1, 0},
                              {{1, 0, 1, 0.5}, {1, 0, 1, 0.5}, {0, 0, 1, 0.5}, {1, 0, 1, 0.9}, {1e-30F, 2, 0.5F, 0.9}}};
  CHECK(problem.sampled() == std::vector<int>{kNoToken, kNoToken, 0, 2, 1});
}

TEST_CASE("sample: the passes of the header table") {
  // 256 tokens: 1024 bytes a pass; a share is 32 tokens.
  const auto passes = [](const SampleParams& how) {
    const SampleProblem problem{256, mixed_samples(256, 1).logits, {how}};
    const std::size_t params_bytes = kSampleThreads * sizeof(SampleParams);
    return static_cast<double>(traffic_of([&] { problem.sampled(); }).bytes - params_bytes - sizeof(int)) / 1024;
  };
  const double share = 32.0 / 256;
  const auto is_between = [&](double got, int most_places, int wanted) {
    return got >= wanted && got <= wanted + most_places * share;
  };
  CHECK(is_between(passes({1, 0, 1, 0.5}), 1, 1 + 1));
  CHECK(is_between(passes({1, 8, 1, 0.5}), 2, 1 + 34 + 1));
  CHECK(is_between(passes({1, 0, 0.5F, 0.5}), 2, 1 + 35 + 1));
  CHECK(is_between(passes({1, 8, 0.5F, 0.5}), 3, 1 + 34 + 35 + 1));
}
