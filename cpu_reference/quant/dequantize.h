#pragma once
// Weights of any type as floats, and floats as weights of the simple types.

#include <cstddef>

#include "cpu_reference/model/weight_matrix.h"

namespace kvarium::cpu {

/// out[columns] from a row, or from a whole number of blocks inside a row. Exactly the equation of the format, each
/// step rounded to float: the oracle of every faster path. `columns` must be a multiple of numbers_per_block(type).
void dequantize_row(WeightType type, const std::byte* row, Index columns, float* out);

/// The opposite, for tests and benchmarks: row_bytes(type, columns) bytes from finite numbers. Rounds as ggml's
/// reference does. MisuseError for Q4_K and Q6_K, which nothing here writes.
void quantize_row(WeightType type, const float* numbers, Index columns, std::byte* row);

}  // namespace kvarium::cpu
