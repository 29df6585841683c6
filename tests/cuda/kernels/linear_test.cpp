// The rungs of linear against double, the CPU reference and their own header table.

#include "cuda/kernels/linear.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu_reference/operators/linear.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/linear_problem.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::Added;
using kvarium_test::LinearProblem;
using kvarium_test::traffic_of;

namespace {

constexpr LinearRung kRungs[] = {LinearRung::plain, LinearRung::tiled, LinearRung::mma, LinearRung::few};

template <typename T, typename Out>
void check_shape(const LinearProblem<T, Out>& problem) {
  for (const LinearRung rung : kRungs) {
    if (!fits_linear<T>(rung, problem.inputs)) continue;
    INFO(problem.tokens << " x " << problem.inputs << " to " << problem.outputs << ", rung " << static_cast<int>(rung));
    CHECK(problem.error(problem.run(rung)) <= 1);
  }
}

template <typename T, typename Out>
void check_all_shapes() {
  check_shape<T, Out>({1, 1, 1});
  check_shape<T, Out>({1, 7, 33, Added::both});
  check_shape<T, Out>({5, 33, 7, Added::bias});
  check_shape<T, Out>({33, 100, 33, Added::y});
  check_shape<T, Out>({9, 40, 130, Added::both});
  check_shape<T, Out>({70, 72, 10});
}

template <typename T>
std::size_t bytes(LinearRung rung, int tokens, int inputs, int outputs) {
  const LinearProblem<T, T> problem(tokens, inputs, outputs);
  return traffic_of([&] { problem.run(rung); }).bytes - problem.before.size() * sizeof(T);  // without what is written
}

}  // namespace

TEST_CASE("linear: every rung gives the equation's result, for sizes that do not divide") {
  check_all_shapes<float, float>();
  check_all_shapes<f16, f16>();
  check_all_shapes<bf16, bf16>();
  check_all_shapes<bf16, float>();
}

TEST_CASE("linear: kernels and CPU reference agree") {
  const LinearProblem<float, float> problem(9, 96, 40);
  kvarium::cpu::Matrix x(9, 96), weight(40, 96), y(9, 40);
  std::copy(problem.x.begin(), problem.x.end(), x.data());
  std::copy(problem.weight.begin(), problem.weight.end(), weight.data());
  kvarium::Work work;
  kvarium::cpu::ThreadPool threads(1);
  const auto* const bytes = reinterpret_cast<const std::byte*>(weight.data());
  kvarium::cpu::linear(x, {kvarium::cpu::WeightType::f32, 40, 96, bytes}, y, threads, work);
  // Both are within one tolerance of the exact result, so within two of each other.
  CHECK(problem.error({y.data(), y.data() + y.size()}) <= 1);
  for (const LinearRung rung : {LinearRung::plain, LinearRung::tiled, LinearRung::few}) {
    CHECK(problem.error(problem.run(rung)) <= 1);
  }
}

TEST_CASE("linear: the same result in every order of threads, and whenever copies land") {
  const LinearProblem<bf16, float> problem(10, 104, 40);
  for (const LinearRung rung : kRungs) {
    const std::vector<float> wanted = problem.run(rung);
    for (const auto order : kvarium_test::kOrders) {
      for (const auto copies : {emulator::CopyTime::lazy, emulator::CopyTime::eager}) {
        emulator::Emulation options;
        options.order = order;
        options.copies = copies;
        const emulator::UseEmulation use(options);
        CHECK(problem.run(rung) == wanted);
      }
    }
  }
}

TEST_CASE("linear: each rung moves the bytes of its header table") {
  CHECK(bytes<bf16>(LinearRung::plain, 4, 16, 32) == 2 * (4 * 16 * 32 * sizeof(bf16)));
  const std::size_t all = std::size_t{64} * 64 * 128 * sizeof(bf16);  // one tile of results in mma, eight in tiled
  CHECK(bytes<bf16>(LinearRung::tiled, 64, 64, 128) == all / 32 * 2);
  CHECK(bytes<bf16>(LinearRung::mma, 64, 64, 128) == all / 128 + all / 64);
  // 5 tokens: the weight once, x once an output.
  CHECK(bytes<bf16>(LinearRung::few, 5, 64, 128) == 128 * 64 * 2 + 5 * 64 * 128 * 2);
}

TEST_CASE("linear: the padding keeps lanes that read down a column in different banks") {
  emulator::AccessLog log;
  emulator::Emulation options;
  options.log = &log;
  const emulator::UseEmulation use(options);
  const LinearProblem<bf16, bf16> problem(32, 64, 128);
  problem.run(LinearRung::tiled);
  problem.run(LinearRung::mma);
  int shared_lines = 0;
  for (const emulator::LineCount& line : log.lines()) {
    if (line.space != emulator::Space::shared) continue;
    INFO(emulator::text_of(line.site));
    CHECK(line.answers == line.fewest_answers);
    ++shared_lines;
  }
  CHECK(shared_lines == 7);  // two tiles, written and read; in mma both are copied by one line
}

TEST_CASE("linear: a rung refuses what it cannot take") {
  const auto run = [](auto problem, LinearRung rung) { problem.run(rung); };
  CHECK_THROWS_WITH(run(LinearProblem<float, float>(1, 64, 1), LinearRung::mma),
                    "linear: mma takes 16-bit numbers and rows of a multiple of 8 of them, not 32-bit numbers in rows "
                    "of 64");
  CHECK_THROWS_AS(run(LinearProblem<f16, f16>(1, 100, 1), LinearRung::mma), kvarium::MisuseError);
  CHECK_THROWS_WITH(run(LinearProblem<f16, f16>(1, 100, 1), LinearRung::few),
                    "linear: few takes rows of a multiple of 8 numbers, not of 100");
}

TEST_CASE("linear: the best rung is the quickest that can take the rows, wherever they begin") {
  const auto best = [](auto number, int tokens, int inputs, const LinearHeads& heads = {}) {
    Linear<decltype(number), float> data{nullptr, nullptr, nullptr, nullptr, tokens, inputs, 1};
    data.heads = heads;
    return best_linear(data);
  };
  CHECK(best(1.0F, 1, 64) == LinearRung::few);
  CHECK(best(1.0F, 9, 64) == LinearRung::tiled);
  CHECK(best(1.0F, 2, 33) == LinearRung::plain);
  CHECK(best(bf16{}, 9, 64) == LinearRung::mma);
  CHECK(best(bf16{}, 9, 172) == LinearRung::tiled);
  CHECK(best(bf16{}, 9, 64, {2, 160, 0, 72, 1}) == LinearRung::mma);
  CHECK(best(bf16{}, 9, 64, {2, 164, 0, 72, 1}) == LinearRung::tiled);
  CHECK(best(bf16{}, 1, 64, {2, 160, 0, 68, 1}) == LinearRung::plain);
  Stream stream;
  CHECK_THROWS_WITH((linear<f16, f16>(LinearRung::few, stream,
                                      {nullptr, nullptr, nullptr, nullptr, 1, 64, 1, false, {2, 140, 0, 70, 1}})),
                    "linear: few takes rows of a multiple of 8 numbers, not of 64, 140 apart, of heads 70 apart");
}

TEST_CASE("linear: a product a head, of parts of rows, is what it is of each part alone") {
  for (const LinearRung rung : kRungs) {
    INFO("rung " << static_cast<int>(rung));
    CHECK(kvarium_test::heads_agree<bf16>(rung, 10));
    CHECK(kvarium_test::heads_agree<f16>(rung, 1));
    if (fits_linear<float>(rung, 16)) CHECK(kvarium_test::heads_agree<float>(rung, 3));
  }
}

TEST_CASE("linear: no tokens are no work, and a NaN stays in its own token") {
  LinearProblem<bf16, float> problem(3, 64, 20);
  problem.x[64 + 5] = from_float<bf16>(NAN);
  for (const LinearRung rung : kRungs) {
    const std::vector<float> y = problem.run(rung);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i / 20 == 1));
    Stream stream;
    linear<bf16, float>(rung, stream, {nullptr, nullptr, nullptr, nullptr, 0, 64, 20});
    CHECK_NOTHROW(stream.synchronize());
  }
}
