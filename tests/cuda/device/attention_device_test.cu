// The attention kernels on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
#include "tests/cuda/kernels/mla_problem.h"
#include "tests/cuda/kernels/quantized_decode_problem.h"

namespace kvarium_test {
namespace {

/// `error` in units of the tolerance.
void expect_within(double error, const std::string& what) {
  expect(error <= 1, what + ": error " + std::to_string(error) + " of the tolerance");
}

template <typename T>
void check_attention_decode(const std::string& type) {
  for (const DecodeShape& shape :
       {DecodeShape{{16, 2, 128}, 8}, DecodeShape{{8, 1, 32}, 8}, DecodeShape{{5, 1, 64}, 4, 3, 19}}) {
    const DecodeProblem<T> problem(shape, {1, 17, 0, 33, 700});
    for (const AttentionDecodeRung rung :
         {AttentionDecodeRung::warp_a_head, AttentionDecodeRung::vectors, AttentionDecodeRung::split}) {
      expect_within(problem.error(problem.run(rung)), "attention_decode " + type + ", heads of " +
                                                          std::to_string(shape.layout.head_dim) + ", rung " +
                                                          std::to_string(static_cast<int>(rung)));
    }
  }
}

template <typename T, typename Code>
void check_attention_decode_quantized(const std::string& types) {
  const QuantizedDecodeProblem<T, Code> problem({{16, 2, 128}, 8}, {1, 17, 0, 33, 700});
  for (const unsigned splits : {1U, 3U}) {
    expect_within(problem.error(problem.run(splits)),
                  "attention_decode_quantized " + types + ", " + std::to_string(splits) + " splits");
  }
}

template <typename T>
void check_attention_mla(const std::string& type) {
  for (const unsigned latent : {32U, 512U}) {
    const MlaProblem<T> problem(16, latent, latent / 8, 17, 2, {1, 17, 0, 33, 700});
    for (const AttentionMlaRung rung :
         {AttentionMlaRung::warp_a_head, AttentionMlaRung::rows, AttentionMlaRung::split}) {
      expect_within(problem.error(problem.run(rung)), "attention_mla " + type + ", latents of " +
                                                          std::to_string(latent) + ", rung " +
                                                          std::to_string(static_cast<int>(rung)));
    }
  }
}

}  // namespace

void check_attention_kernels() {
  check_attention_decode<float>("f32");
  check_attention_decode<f16>("f16");
  check_attention_decode<bf16>("bf16");
  check_attention_decode_quantized<float, i8>("f32 over i8");
  check_attention_decode_quantized<bf16, e4m3>("bf16 over e4m3");
  check_attention_decode_quantized<f16, i4x2>("f16 over i4");
  check_attention_mla<float>("f32");
  check_attention_mla<f16>("f16");
  check_attention_mla<bf16>("bf16");
}

}  // namespace kvarium_test
