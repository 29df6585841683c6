#include "cpu_reference/quant/dequantize.h"

#include <cstring>

#include "cpu_reference/quant/half_types.h"
#include "cpu_reference/quant/q4.h"
#include "cpu_reference/quant/q4_k.h"
#include "cpu_reference/quant/q5.h"
#include "cpu_reference/quant/q6_k.h"
#include "cpu_reference/quant/q8_0.h"

namespace kvarium::cpu {

void dequantize_row(WeightType type, const std::byte* row, Index columns, float* out) {
  switch (type) {
    case WeightType::f32:
      std::memcpy(out, row, static_cast<std::size_t>(columns) * sizeof(float));
      return;
    case WeightType::f16:
      return dequantize_f16(row, columns, out);
    case WeightType::bf16:
      return dequantize_bf16(row, columns, out);
    case WeightType::q8_0:
      return dequantize_q8_0(row, columns, out);
    case WeightType::q4_0:
      return dequantize_q4_0(row, columns, out);
    case WeightType::q4_1:
      return dequantize_q4_1(row, columns, out);
    case WeightType::q5_0:
      return dequantize_q5_0(row, columns, out);
    case WeightType::q5_1:
      return dequantize_q5_1(row, columns, out);
    case WeightType::q4_k:
      return dequantize_q4_k(row, columns, out);
    case WeightType::q6_k:
      return dequantize_q6_k(row, columns, out);
  }
}

void quantize_row(WeightType type, const float* numbers, Index columns, std::byte* row) {
  switch (type) {
    case WeightType::f32:
      std::memcpy(row, numbers, static_cast<std::size_t>(columns) * sizeof(float));
      return;
    case WeightType::f16:
      return quantize_f16(numbers, columns, row);
    case WeightType::bf16:
      return quantize_bf16(numbers, columns, row);
    case WeightType::q8_0:
      return quantize_q8_0(numbers, columns, row);
    case WeightType::q4_0:
      return quantize_q4_0(numbers, columns, row);
    case WeightType::q4_1:
      return quantize_q4_1(numbers, columns, row);
    case WeightType::q5_0:
      return quantize_q5_0(numbers, columns, row);
    case WeightType::q5_1:
      return quantize_q5_1(numbers, columns, row);
    case WeightType::q4_k:
    case WeightType::q6_k:
      throw MisuseError(fmt::format("nothing here writes {} weights", name(type)));
  }
}

}  // namespace kvarium::cpu
