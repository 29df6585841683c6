#pragma once
// The emulator's side of simt/mma.h. The product is computed in double and rounded once: a device adds in another order
// and drops bits on the way, so its results differ in the last places.

#include <cstdint>

#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

void mma(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const float (&c)[4], bool is_bf16,
         const Site& site);

void ldmatrix(std::uint32_t (&registers)[4], const void* row, bool transposed, const Site& site);

}  // namespace kvarium::cuda::emulator
