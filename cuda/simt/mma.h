#pragma once
// A matrix product of one warp: D[16][8] = A[16][16] B[16][8] + C[16][8], each lane holding its part (simt/fragment.h),
// and ldmatrix, which loads 8x8 matrices of 16-bit numbers from shared memory into such parts.

#include <cstdint>
#include <type_traits>

#include "cuda/simt/fragment.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"

#if !SIMT_ON_DEVICE
#include "cuda/simt/emulator/mma.h"
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#if SIMT_ON_DEVICE

/// T: f16 or bf16. All 32 lanes; d may be c.
template <typename T>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                             const float (&c)[4]) {
  static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "the operands are f16 or bf16");
  if constexpr (std::is_same_v<T, f16>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  }
}

/// Four 8x8 matrices; lane i points to row i % 8 of matrix i / 8, 16 bytes on a multiple of 16. Register j of a lane
/// gets two neighbours of matrix j: of row lane / 4, or of column lane / 4 when transposed.
template <bool transposed, typename T>
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&r)[4], const T* row) {
  static_assert(sizeof(T) == 2, "ldmatrix moves 16-bit numbers");
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  }
}

#else

template <typename T>
void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const float (&c)[4],
                  emulator::Site site = emulator::Site::current()) {
  static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "the operands are f16 or bf16");
  emulator::mma(d, a, b, c, std::is_same_v<T, bf16>, site);
}

template <bool transposed, typename T>
void ldmatrix_x4(std::uint32_t (&r)[4], const sptr<T>& row, emulator::Site site = emulator::Site::current()) {
  static_assert(sizeof(T) == 2, "ldmatrix moves 16-bit numbers");
  emulator::check_access(row.region(), row.unchecked(), 16, 16, emulator::Access::load, site);
  emulator::ldmatrix(r, row.unchecked(), transposed, site);
}

#endif

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
