// The dense and pointwise kernels on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
#include "tests/cuda/kernels/linear_problem.h"
#include "tests/cuda/kernels/pointwise_problem.h"
#include "tests/cuda/kernels/quantize_keys_problem.h"
#include "tests/cuda/kernels/quantize_kv_problem.h"
#include "tests/cuda/kernels/rope_problem.h"
#include "tests/cuda/kernels/sampling_problem.h"
#include "tests/cuda/kernels/verify_draft_problem.h"

namespace kvarium_test {
namespace {

template <typename T, typename Code>
void check_quantize_kv(const std::string& types) {
  const QuantizeKvProblem<T, Code> problem({16, 3, 64}, {17, 3, kNoSlot, 0, 40});
  for (const QuantizeKvRung rung : {QuantizeKvRung::thread, QuantizeKvRung::packs}) {
    expect(problem.num_wrong(rung) == 0, "quantize_kv " + types + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T, typename Code>
void check_quantize_keys(const std::string& types) {
  const QuantizeKeysProblem<T, Code> problem({16, 3, 64}, {{3, 1, 16}, {0, 2, 9}});
  for (const QuantizeKeysRung rung : {QuantizeKeysRung::thread, QuantizeKeysRung::shared}) {
    expect(problem.num_wrong(rung) == 0, "quantize_keys " + types + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T, typename Out>
void check_linear(const std::string& types) {
  for (const LinearProblem<T, Out>& problem :
       {LinearProblem<T, Out>(1, 7, 33, Added::both), LinearProblem<T, Out>(5, 512, 200, Added::both),
        LinearProblem<T, Out>(130, 1000, 300), LinearProblem<T, Out>(64, 4096, 128)}) {
    for (const LinearRung rung : {LinearRung::plain, LinearRung::tiled, LinearRung::mma, LinearRung::few}) {
      if (!fits_linear<T>(rung, problem.inputs)) continue;
      const double error = problem.error(problem.run(rung));
      expect(error <= 1, "linear " + types + ", " + std::to_string(problem.inputs) + " inputs, rung " +
                             std::to_string(static_cast<int>(rung)) + ": " + std::to_string(error) +
                             " of the error that is allowed");
    }
  }
  for (const LinearRung rung : {LinearRung::plain, LinearRung::tiled, LinearRung::mma, LinearRung::few}) {
    if (!fits_linear<T>(rung, 16)) continue;
    expect(heads_agree<T>(rung, 70),
           "linear " + types + ", a product a head, rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T>
void check_rope(const std::string& type) {
  for (const RopePairs pairs : {RopePairs::interleaved, RopePairs::halves}) {
    const RopeProblem<T> problem({0, 5, 131071, -3}, 3, 128, 64, pairs);
    for (const RopeRung rung : {RopeRung::number, RopeRung::packs}) {
      const double error = problem.error(problem.run(rung));
      expect(error <= 1, "rope " + type + (pairs == RopePairs::halves ? ", halves" : ", interleaved") + ", rung " +
                             std::to_string(static_cast<int>(rung)) + ": " + std::to_string(error) +
                             " of the error that is allowed");
    }
  }
}

template <typename T>
void check_pointwise(const std::string& type) {
  const ActivationProblem<T, FeedForward::swiglu> gated(4096);
  const ActivationProblem<T, FeedForward::gelu> plain(4096);
  for (const ActivateRung rung : {ActivateRung::number, ActivateRung::packs}) {
    const std::string which = type + ", rung " + std::to_string(static_cast<int>(rung));
    expect(gated.error(gated.run(rung)) <= 1, "swiglu " + which);
    expect(plain.error(plain.run(rung)) <= 1, "gelu " + which);
  }
  const EmbedProblem<T> rows({3, 0, 19, 3}, 1000);
  for (const EmbedRung rung : {EmbedRung::number, EmbedRung::packs}) {
    expect(rows.is_right(rows.run(rung)), "embed " + type + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T>
void check_softmax(const std::string& type) {
  const SoftmaxProblem<T> problem(5, 1000, 0.5F);
  for (const SoftmaxRung rung : {SoftmaxRung::thread, SoftmaxRung::block}) {
    expect(problem.error(problem.run(rung)) <= 1,
           "softmax " + type + ", rung " + std::to_string(static_cast<int>(rung)));
  }
}

void check_sampling() {
  SampleProblem problem = mixed_samples(5000, 96);
  expect(problem.sampled() == problem.expected(), "sample");
  for (SampleParams& how : problem.params) how.temperature = 0;
  const std::vector<int> wanted = problem.expected();
  for (const ArgmaxRung rung : {ArgmaxRung::thread, ArgmaxRung::block}) {
    expect(problem.largest(rung) == wanted, "argmax, rung " + std::to_string(static_cast<int>(rung)));
  }
}

template <typename T>
void check_verify_draft(const std::string& type) {
  for (const bool is_drawn : {true, false}) {
    const VerifyProblem<T> problem(5000, {3, 0, 5, 1, 5, 2, 40, 4}, is_drawn);
    for (const VerifyRung rung : {VerifyRung::thread, VerifyRung::block}) {
      expect(problem.is_right(rung, problem.run(rung)), "verify_draft " + type + (is_drawn ? ", drawn" : ", certain") +
                                                            ", rung " + std::to_string(static_cast<int>(rung)));
    }
  }
}

void check_verify_greedy() {
  const std::vector<Judged> wanted = {{2, 7}, {1, 9}, {0, 4}};
  expect(judged_greedily({4, 5, 4, 5, 9, 5}, {2, 2, 2}, {4, 5, 7, 4, 9, 7, 4, 5, 7}, 2) == wanted, "verify_greedy");
}

}  // namespace

void check_dense_kernels() {
  check_linear<float, float>("f32");
  check_linear<f16, f16>("f16");
  check_linear<bf16, bf16>("bf16");
  check_linear<bf16, float>("bf16 to f32");
  check_rope<float>("f32");
  check_rope<f16>("f16");
  check_rope<bf16>("bf16");
  check_pointwise<float>("f32");
  check_pointwise<f16>("f16");
  check_pointwise<bf16>("bf16");
  check_softmax<float>("f32");
  check_softmax<f16>("f16");
  check_softmax<bf16>("bf16");
  check_sampling();
  check_verify_draft<float>("f32");
  check_verify_draft<double>("f64");
  check_verify_greedy();
  check_quantize_kv<float, e4m3>("f32 to e4m3");
  check_quantize_kv<f16, i8>("f16 to i8");
  check_quantize_kv<bf16, e4m3>("bf16 to e4m3");
  check_quantize_kv<bf16, i4x2>("bf16 to i4");
  check_quantize_keys<float, i8>("f32 to i8");
  check_quantize_keys<bf16, e4m3>("bf16 to e4m3");
  check_quantize_keys<bf16, i4x2>("bf16 to i4");
}

}  // namespace kvarium_test
