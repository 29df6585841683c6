// The attention kernels on a device: the problems of the emulated tests, with their tolerances.

#include <string>

#include "tests/cuda/device/expect.h"
#include "tests/cuda/kernels/decode_problem.h"

namespace kvarium_test {
namespace {

template <typename T>
void check_attention_decode(const std::string& type) {
  for (const DecodeShape& shape : {DecodeShape{{16, 2, 128}, 8}, DecodeShape{{5, 1, 64}, 4, 3, 19}}) {
    const DecodeProblem<T> problem(shape, {1, 17, 0, 33, 700});
    for (const AttentionDecodeRung rung : {AttentionDecodeRung::warp_a_head}) {
      const double error = problem.error(
          problem.run([&](Stream& stream, const AttentionDecode<T>& call) { attention_decode(rung, stream, call); }));
      expect(error <= 1, "attention_decode " + type + ", heads of " + std::to_string(shape.layout.head_dim) +
                             ", rung " + std::to_string(static_cast<int>(rung)) + ": error " + std::to_string(error) +
                             " of the tolerance");
    }
  }
}

}  // namespace

void check_attention_kernels() {
  check_attention_decode<float>("f32");
  check_attention_decode<f16>("f16");
  check_attention_decode<bf16>("bf16");
}

}  // namespace kvarium_test
