#pragma once
// Which element of a matrix lies in which register of which lane, for mma.m16n8k16 (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 with floating point type"). Shared by kernels, the emulator and whoever draws fragments.
//
//   A [16 rows][16 columns] in 8 halves a lane (4 registers), B [16][8] in 4 halves (2 registers), C and D [16][8] in 4
//   floats
//
// A lane belongs to group g = lane / 4 and is number t = lane % 4 in it.

#include "cuda/simt/backend.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// i: which half of the lane, 0 to 7. Register i / 2, its lower half first.
__host__ __device__ constexpr int a_row(int lane, int i) { return lane / 4 + 8 * (i / 2 % 2); }
__host__ __device__ constexpr int a_column(int lane, int i) { return 2 * (lane % 4) + i % 2 + 8 * (i / 4); }

// i: 0 to 3
__host__ __device__ constexpr int b_row(int lane, int i) { return 2 * (lane % 4) + i % 2 + 8 * (i / 2); }
__host__ __device__ constexpr int b_column(int lane, int) { return lane / 4; }

// i: which float of the lane, 0 to 3
__host__ __device__ constexpr int c_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
__host__ __device__ constexpr int c_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
