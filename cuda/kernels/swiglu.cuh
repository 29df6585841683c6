#pragma once
// What stands between the two products of a feed-forward layer, element by element and in place:
//   swiglu  gate <- silu(gate) * up, silu(g) = g / (1 + exp(-g))   (Shazeer 2020, equation 6)
//   gelu    gate <- gate / 2 * (1 + tanh(sqrt(2 / pi) * (gate + 0.044715 gate^3)))   (Hendrycks and Gimpel 2016)
//
//   rung    idea                 bytes moved             what to learn
//   number  one thread a number  3 n s (gelu 2 n s)      nothing is reused: the floor is the bytes
//   packs   one thread 16 bytes  3 n s (gelu 2 n s)      the same bytes in 16 / s times fewer requests
//
// n: numbers, s: bytes of one.

#include <cmath>
#include <string>

#include "core/error.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

enum class FeedForward { swiglu, gelu };

template <FeedForward kind>
__device__ __forceinline__ float activated(float gate, float up) {
  if constexpr (kind == FeedForward::swiglu) return gate / (1.0F + expf(-gate)) * up;
  constexpr float kScale = 0.7978845608F;  // sqrt(2 / pi)
  return 0.5F * gate * (1.0F + tanhf(kScale * (gate + 0.044715F * gate * gate * gate)));
}

/// gate, up: [count]; gelu has no `up`. One thread a number.
template <typename T, FeedForward kind>
__global__ void activate_number(gptr<T> gate, gptr<const T> up, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float other = 0;
  if constexpr (kind == FeedForward::swiglu) other = to_float(up[i]);
  gate[i] = from_float<T>(activated<kind>(to_float(gate[i]), other));
}

/// The same, one thread a pack. count: a multiple of Pack<T>::kCount.
template <typename T, FeedForward kind>
__global__ void activate_packs(gptr<T> gate, gptr<const T> up, long long count) {
  const long long i = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * Pack<T>::kCount;
  if (i >= count) return;
  Pack<T> numbers = load_vec<Pack<T>>(gate + i);
  Pack<T> others{};
  if constexpr (kind == FeedForward::swiglu) others = load_vec<Pack<T>>(up + i);
  SIMT_UNROLL
  for (int j = 0; j < Pack<T>::kCount; ++j) {
    numbers.at[j] = from_float<T>(activated<kind>(to_float(numbers.at[j]), to_float(others.at[j])));
  }
  store_vec(gate + i, numbers);
}

enum class ActivateRung { number, packs };

/// MisuseError when the numbers are no whole number of packs and the rung needs that.
template <typename T, FeedForward kind>
void activate(ActivateRung rung, Stream& stream, gptr<T> gate, gptr<const T> up, long long count) {
  constexpr long long kThreads = 128;
  if (rung == ActivateRung::packs && !fits_packs<T>(count)) {
    throw MisuseError("activate: packs take a multiple of " + std::to_string(Pack<T>::kCount) + " numbers, not " +
                      std::to_string(count));
  }
  if (count == 0) return;
  const long long threads = rung == ActivateRung::packs ? count / Pack<T>::kCount : count;
  const auto kernel = rung == ActivateRung::packs ? activate_packs<T, kind> : activate_number<T, kind>;
  launch(kernel, static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads, 0, stream, gate, up, count);
}

template <typename T>
void swiglu(ActivateRung rung, Stream& stream, gptr<T> gate, gptr<const T> up, long long count) {
  activate<T, FeedForward::swiglu>(rung, stream, gate, up, count);
}
template <typename T>
void gelu(ActivateRung rung, Stream& stream, gptr<T> x, long long count) {
  activate<T, FeedForward::gelu>(rung, stream, x, nullptr, count);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
