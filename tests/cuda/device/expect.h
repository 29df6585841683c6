#pragma once
// Checks on a device, without a test framework, and the files of checks.

#include <string>

namespace kvarium_test {

/// Prints one line. A check that is wrong makes the program end with 1.
void expect(bool is_right, const std::string& what);

void check_attention_kernels();  ///< attention_device_test.cu
void check_dense_kernels();      ///< dense_device_test.cu
void check_attention_prefill();  ///< prefill_device_test.cu

}  // namespace kvarium_test
