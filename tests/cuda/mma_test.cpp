// Fragments, the matrix product of a warp, and ldmatrix.

#include "cuda/simt/mma.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda/device/matrix_product.cuh"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium_test::fault_of;
using kvarium_test::line_of;
using kvarium_test::run;

namespace {

/// Fragments filled element by element through the layout functions.
template <typename T>
__global__ void multiply(gptr<const float> a, gptr<const float> b, gptr<const float> c, gptr<float> d) {
  const int lane = static_cast<int>(threadIdx.x);
  std::uint32_t fragment_a[4], fragment_b[2];
  float accumulator[4];
  for (int i = 0; i < 8; i += 2) {
    fragment_a[i / 2] = pack2(from_float<T>(a[16 * a_row(lane, i) + a_column(lane, i)]),
                              from_float<T>(a[16 * a_row(lane, i + 1) + a_column(lane, i + 1)]));
  }
  for (int i = 0; i < 4; i += 2) {
    fragment_b[i / 2] = pack2(from_float<T>(b[8 * b_row(lane, i) + b_column(lane, i)]),
                              from_float<T>(b[8 * b_row(lane, i + 1) + b_column(lane, i + 1)]));
  }
  for (int i = 0; i < 4; ++i) accumulator[i] = c[8 * c_row(lane, i) + c_column(lane, i)];
  mma_m16n8k16<T>(accumulator, fragment_a, fragment_b, accumulator);
  for (int i = 0; i < 4; ++i) d[8 * c_row(lane, i) + c_column(lane, i)] = accumulator[i];
}

/// The same, loaded with ldmatrix: A as it lies in memory, B [16][8] transposed on the way.
__global__ void multiply_from_shared(gptr<const float> a, gptr<const float> b, gptr<float> d) {
  SIMT_SHARED(f16[16][16], tile_a);
  SIMT_SHARED(f16[32][8], tile_b);
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 256; i += 32) tile_a[i / 16][i % 16] = from_float<f16>(a[i]);
  for (int i = lane; i < 256; i += 32) tile_b[i / 8][i % 8] = from_float<f16>(i < 128 ? b[i] : 0.0F);
  __syncwarp();
  std::uint32_t fragment_a[4], fragment_b[4];
  ldmatrix_x4<false>(fragment_a, sptr<f16>(tile_a[lane % 16]) + 8 * (lane / 16));
  ldmatrix_x4<true>(fragment_b, sptr<f16>(tile_b[lane]));
  float accumulator[4] = {};
  const std::uint32_t first_two[2] = {fragment_b[0], fragment_b[1]};
  mma_m16n8k16<f16>(accumulator, fragment_a, first_two, accumulator);
  for (int i = 0; i < 4; ++i) d[8 * c_row(lane, i) + c_column(lane, i)] = accumulator[i];
}

constexpr int kHalfWarpLine = __LINE__ + 4;
__global__ void half_a_warp() {
  std::uint32_t a[4] = {}, b[2] = {};
  float c[4] = {};
  if (threadIdx.x < 16) mma_m16n8k16<f16>(c, a, b, c);
}

constexpr int kMisalignedLine = __LINE__ + 6;
__global__ void misaligned_row() {
  SIMT_SHARED(f16[32][9], tile);
  for (int i = 0; i < 9; ++i) tile[threadIdx.x][i] = f16{0};
  __syncwarp();
  std::uint32_t registers[4];
  ldmatrix_x4<false>(registers, sptr<f16>(tile[threadIdx.x]));
}

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2.0F, 2.0F);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = to_float(from_float<bf16>(uniform(random)));
  return numbers;
}

/// C + A B in double.
std::vector<double> product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c) {
  std::vector<double> d(128);
  for (std::size_t i = 0; i < 128; ++i) {
    d[i] = c[i];
    for (std::size_t k = 0; k < 16; ++k) d[i] += static_cast<double>(a[16 * (i / 8) + k]) * b[8 * k + i % 8];
  }
  return d;
}

double largest_difference(const std::vector<float>& got, const std::vector<double>& wanted) {
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::fmax(most, std::fabs(got[i] - wanted[i]));
  return std::all_of(got.begin(), got.end(), [](float x) { return std::isfinite(x); }) ? most : INFINITY;
}

}  // namespace

TEST_CASE("each element of a matrix lies in exactly one place of a fragment") {
  std::vector<int> a(256), b(128), c(128);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) ++a[static_cast<std::size_t>(16 * a_row(lane, i) + a_column(lane, i))];
    for (int i = 0; i < 4; ++i) ++b[static_cast<std::size_t>(8 * b_row(lane, i) + b_column(lane, i))];
    for (int i = 0; i < 4; ++i) ++c[static_cast<std::size_t>(8 * c_row(lane, i) + c_column(lane, i))];
  }
  CHECK(a == std::vector<int>(256, 1));
  CHECK(b == std::vector<int>(128, 1));
  CHECK(c == std::vector<int>(128, 1));
  // Spot checks against the figures of the PTX ISA: lane 6 is number 2 of group 1.
  CHECK(a_row(6, 0) == 1);
  CHECK(a_column(6, 0) == 4);
  CHECK(a_row(6, 2) == 9);
  CHECK(a_column(6, 5) == 13);
  CHECK(b_row(6, 3) == 13);
  CHECK(b_column(6, 3) == 1);
  CHECK(c_row(6, 2) == 9);
  CHECK(c_column(6, 1) == 5);
}

TEST_CASE("the product of a warp is the product of the matrices") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<float> a = random_numbers(256, seed), b = random_numbers(128, seed + 100),
                             c = random_numbers(128, seed + 200);
    const DeviceBuffer<float> on_device_a(a), on_device_b(b), on_device_c(c);
    DeviceBuffer<float> d(128);
    // Computed in double and rounded once: |d| < 2 + 16 * 4 = 66 < 2^7, so half a last place is 2^(6 - 24) at most.
    const double tolerance = std::ldexp(1.0, 6 - 24);
    INFO("seed " << seed);
    run(multiply<f16>, 1, 32, on_device_a.ptr(), on_device_b.ptr(), on_device_c.ptr(), d.ptr());
    CHECK(largest_difference(d.download(), product(a, b, c)) <= tolerance);
    run(multiply<bf16>, 1, 32, on_device_a.ptr(), on_device_b.ptr(), on_device_c.ptr(), d.ptr());
    CHECK(largest_difference(d.download(), product(a, b, c)) <= tolerance);
    run(multiply_from_shared, 1, 32, on_device_a.ptr(), on_device_b.ptr(), d.ptr());
    CHECK(largest_difference(d.download(), product(a, b, std::vector<float>(128))) <= tolerance);
  }
}

TEST_CASE("from global memory through asynchronous copies and ldmatrix: the product that the device test computes") {
  CHECK(matrix_product_error<f16>() == 0);
  CHECK(matrix_product_error<bf16>() == 0);
}

TEST_CASE("a matrix product needs the whole warp") {
  CHECK(fault_of([] { run(half_a_warp, 1, 32); }) ==
        "block 0, thread 31: mma_m16n8k16 needs all 32 lanes; present are 0x0000ffff (" +
            line_of(__FILE__, kHalfWarpLine) + ")");
}

TEST_CASE("ldmatrix reads rows of 16 bytes on multiples of 16") {
  CHECK(fault_of([] { run(misaligned_row, 1, 32); }) ==
        "block 0, thread 31: reads 16 bytes at once from element 279 of tile, whose address is no multiple of 16 (" +
            line_of(__FILE__, kMisalignedLine) + ")");
}
