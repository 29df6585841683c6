#pragma once
// A warp's matrix product from global memory to global memory, through cp.async, ldmatrix and mma: run on a device by
// device_test.cu, and by the emulator in mma_test.cpp.

#include <cmath>
#include <vector>

#include "cuda/simt/cp_async.h"
#include "cuda/simt/host.h"
#include "cuda/simt/mma.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// d [16][8] = a [16][16] b [16][8]; one warp. b is padded to 32 rows, since ldmatrix_x4 loads four matrices.
template <typename T>
__global__ void multiply_tile(gptr<const T> a, gptr<const T> b, gptr<float> d) {
  SIMT_SHARED(T[16][16], tile_a);
  SIMT_SHARED(T[32][8], tile_b);
  const int lane = static_cast<int>(threadIdx.x);
  cp_async16(sptr<T>(tile_a[lane / 2]) + 8 * (lane % 2), a + 8 * lane);
  cp_async_commit();
  cp_async16(sptr<T>(tile_b[lane]), b + 8 * (lane % 16), lane < 16 ? 16 : 0);
  cp_async_commit();
  cp_async_wait<0>();
  __syncwarp();
  std::uint32_t fragment_a[4], fragments_b[4];
  ldmatrix_x4<false>(fragment_a, sptr<T>(tile_a[lane % 16]) + 8 * (lane / 16));
  ldmatrix_x4<true>(fragments_b, sptr<T>(tile_b[lane]));
  const std::uint32_t fragment_b[2] = {fragments_b[0], fragments_b[1]};
  float sums[4] = {};
  mma_m16n8k16<T>(sums, fragment_a, fragment_b, sums);
  for (int i = 0; i < 4; ++i) d[8 * c_row(lane, i) + c_column(lane, i)] = sums[i];
}

/// The largest error of the product of two matrices of small whole numbers, all of whose sums are exact: 0 when right.
template <typename T>
double matrix_product_error() {
  std::vector<T> a(256), b(128);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = from_float<T>(static_cast<float>(i * 7 % 13) - 6.0F);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = from_float<T>(static_cast<float>(i * 5 % 11) - 5.0F);
  const DeviceBuffer<T> a_device(a), b_device(b);
  DeviceBuffer<float> d_device(128);
  Stream stream;
  launch(multiply_tile<T>, 1, 32, 0, stream, a_device.ptr(), b_device.ptr(), d_device.ptr());
  stream.synchronize();
  const std::vector<float> d = d_device.download();
  double most = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    double wanted = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      wanted += static_cast<double>(to_float(a[16 * (i / 8) + k])) * static_cast<double>(to_float(b[8 * k + i % 8]));
    }
    const double error = std::fabs(static_cast<double>(d[i]) - wanted);
    most = std::isfinite(error) ? std::fmax(most, error) : INFINITY;
  }
  return most;
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
