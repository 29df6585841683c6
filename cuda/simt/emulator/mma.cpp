#include "cuda/simt/emulator/mma.h"

#include <cstddef>
#include <cstring>
#include <string>

#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/sanitizers.h"
#include "cuda/simt/emulator/warp_call.h"
#include "cuda/simt/fragment.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda::emulator {
namespace {

constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;
constexpr int kLanes = static_cast<int>(kWarpSize);

struct MmaIn {
  const std::uint32_t* a;
  const std::uint32_t* b;
  const float* c;
  bool is_bf16;
};

void need_all_lanes(const WarpCall& call) {
  if (call.present == kAllLanes) return;
  unsigned lane = 0;
  while (!call.has(lane)) ++lane;
  fault(FaultKind::inactive_lane,
        std::string(call.name) + " needs all 32 lanes; present are " + mask_text(call.present), call.site[lane]);
}

double half_of(const std::uint32_t* registers, int i, bool is_bf16) {
  const auto code = static_cast<std::uint16_t>(registers[i / 2] >> (i % 2 == 0 ? 0U : 16U));
  return is_bf16 ? to_float(bf16{code}) : to_float(f16{code});
}

void do_mma(const WarpCall& call) {
  need_all_lanes(call);
  double a[16][16], b[16][8], c[16][8];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& in = *static_cast<const MmaIn*>(call.in[lane]);
    for (int i = 0; i < 8; ++i) a[a_row(lane, i)][a_column(lane, i)] = half_of(in.a, i, in.is_bf16);
    for (int i = 0; i < 4; ++i) b[b_row(lane, i)][b_column(lane, i)] = half_of(in.b, i, in.is_bf16);
    for (int i = 0; i < 4; ++i) c[c_row(lane, i)][c_column(lane, i)] = in.c[i];
  }
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 16; ++k) {
      for (int column = 0; column < 8; ++column) c[row][column] += a[row][k] * b[k][column];
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    auto* out = static_cast<float*>(call.out[lane]);
    for (int i = 0; i < 4; ++i) out[i] = static_cast<float>(c[c_row(lane, i)][c_column(lane, i)]);
  }
}

std::uint32_t element(const void* row, int column) {
  std::uint16_t value = 0;
  std::memcpy(&value, static_cast<const char*>(row) + std::ptrdiff_t{2} * column, sizeof value);
  return value;
}

template <bool transposed>
void do_ldmatrix(const WarpCall& call) {
  need_all_lanes(call);
  for (int lane = 0; lane < kLanes; ++lane) {
    auto* registers = static_cast<std::uint32_t*>(call.out[lane]);
    const int major = lane / 4, minor = 2 * (lane % 4);
    for (int j = 0; j < 4; ++j) {
      const void* const* rows = call.in + std::ptrdiff_t{8} * j;
      registers[j] = transposed ? element(rows[minor], major) | element(rows[minor + 1], major) << 16U
                                : element(rows[major], minor) | element(rows[major], minor + 1) << 16U;
    }
  }
}

}  // namespace

void mma(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const float (&c)[4], bool is_bf16,
         const Site& site) {
  const MmaIn in{a, b, c, is_bf16};
  warp_call("mma_m16n8k16", kAllLanes, &in, d, do_mma, site);
}

void ldmatrix(std::uint32_t (&registers)[4], const void* row, bool transposed, const Site& site) {
  tsan_read(row, 16);
  warp_call("ldmatrix_x4", kAllLanes, row, registers, transposed ? do_ldmatrix<true> : do_ldmatrix<false>, site);
}

}  // namespace kvarium::cuda::emulator
