#pragma once
// Rotary positions (Su et al. 2021): turns pair i of every head of a token by angle position * frequency[i], in place:
//   (a, b) -> (a cos - b sin, a sin + b cos)
//
//   rung    idea                        bytes moved a token   what to learn
//   number  one thread a pair           2 h r s + 4 h r       where the two numbers of a pair lie
//   packs   one thread 16 bytes of      2 h r s + 4 h r       the same bytes in fewer requests; with halves a thread
//           each half, or of pairs                            needs two packs, interleaved one
//
// h: heads, r: rotated numbers of a head, s: bytes of a number; 4 h r: cosines and sines, which come from the cache
// after the first head. They are computed once a pass, in double: at position 100,000 a float angle is wrong by up to
// 0.004 radian.

#include <cmath>
#include <string>

#include "core/error.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Which two numbers of a head are a pair.
enum class RopePairs {
  interleaved,  ///< (2i, 2i + 1)
  halves,       ///< (i, i + r / 2)
};

/// The rotations of a pass: [tokens][num_pairs] each.
struct RopeAngles {
  gptr<const float> cosines;
  gptr<const float> sines;
  int num_pairs = 0;  ///< of a head: r / 2
};

/// What is rotated: Q, K, or a part of them. The first number of head h of token t is x[t * token_stride + h *
/// head_stride], and the 2 * num_pairs numbers from there are rotated.
template <typename T>
struct RopeRows {
  gptr<T> x;
  int tokens = 0;
  int heads = 0;
  int token_stride = 0;
  int head_stride = 0;
};

/// positions: [tokens], frequencies: [num_pairs] radians a position, scaled as the model wants it; cosines, sines:
/// [tokens][num_pairs]. One thread an angle.
template <typename Angle>
__global__ void write_angles(gptr<const int> positions, gptr<const double> frequencies, gptr<Angle> cosines,
                             gptr<Angle> sines, int tokens, int num_pairs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= tokens * num_pairs) return;
  const double angle = positions[i / num_pairs] * frequencies[i % num_pairs];
  cosines[i] = static_cast<Angle>(cos(angle));
  sines[i] = static_cast<Angle>(sin(angle));
}

/// The rotations of tokens at these positions.
inline void rope_angles(Stream& stream, gptr<const int> positions, gptr<const double> frequencies, gptr<float> cosines,
                        gptr<float> sines, int tokens, int num_pairs) {
  if (tokens == 0 || num_pairs == 0) return;
  launch(write_angles<float>, static_cast<unsigned>((tokens * num_pairs + 127) / 128), 128, 0, stream, positions,
         frequencies, cosines, sines, tokens, num_pairs);
}

/// (a, b) turned by the angle with this cosine and sine.
__device__ __forceinline__ void rotate(float cosine, float sine, float& a, float& b) {
  const float turned = a * cosine - b * sine;
  b = a * sine + b * cosine;
  a = turned;
}

/// One thread a pair; blockIdx.x: token.
template <typename T, RopePairs pairs>
__global__ void rope_number(RopeRows<T> rows, RopeAngles angles) {
  const int half = angles.num_pairs;
  for (int i = static_cast<int>(threadIdx.x); i < rows.heads * half; i += static_cast<int>(blockDim.x)) {
    const int head = i / half, pair = i % half;
    const gptr<T> x = rows.x + (static_cast<long long>(blockIdx.x) * rows.token_stride + head * rows.head_stride);
    const int first = pairs == RopePairs::halves ? pair : 2 * pair;
    const int second = pairs == RopePairs::halves ? pair + half : first + 1;
    const long long angle = static_cast<long long>(blockIdx.x) * half + pair;
    float a = to_float(x[first]), b = to_float(x[second]);
    rotate(angles.cosines[angle], angles.sines[angle], a, b);
    SIMT_SHOW("a", a);
    SIMT_SHOW("b", b);
    SIMT_PAUSE("turned");
    x[first] = from_float<T>(a);
    x[second] = from_float<T>(b);
  }
}

/// Neighbouring cosines or sines.
template <int count>
struct alignas(count % 4 == 0 ? 16 : 8) FewAngles {
  float at[count];
};

/// One thread a pack of pairs; blockIdx.x: token.
template <typename T, RopePairs pairs>
__global__ void rope_packs(RopeRows<T> rows, RopeAngles angles) {
  constexpr int kPairs = pairs == RopePairs::halves ? Pack<T>::kCount : Pack<T>::kCount / 2;  // a thread
  const int packs = angles.num_pairs / kPairs;                                                // of a head
  for (int i = static_cast<int>(threadIdx.x); i < rows.heads * packs; i += static_cast<int>(blockDim.x)) {
    const int head = i / packs, pair = i % packs * kPairs;
    const gptr<T> x = rows.x + (static_cast<long long>(blockIdx.x) * rows.token_stride + head * rows.head_stride);
    const long long angle = static_cast<long long>(blockIdx.x) * angles.num_pairs + pair;
    const auto cosines = load_vec<FewAngles<kPairs>>(angles.cosines + angle);
    const auto sines = load_vec<FewAngles<kPairs>>(angles.sines + angle);
    const auto turn = [&](int j, T& first, T& second) {
      float a = to_float(first), b = to_float(second);
      rotate(cosines.at[j], sines.at[j], a, b);
      first = from_float<T>(a);
      second = from_float<T>(b);
    };
    if constexpr (pairs == RopePairs::halves) {
      Pack<T> low = load_vec<Pack<T>>(x + pair), high = load_vec<Pack<T>>(x + (pair + angles.num_pairs));
      SIMT_UNROLL
      for (int j = 0; j < kPairs; ++j) turn(j, low.at[j], high.at[j]);
      store_vec(x + pair, low);
      store_vec(x + (pair + angles.num_pairs), high);
    } else {
      Pack<T> both = load_vec<Pack<T>>(x + 2 * pair);
      SIMT_UNROLL
      for (int j = 0; j < kPairs; ++j) turn(j, both.at[2 * j], both.at[2 * j + 1]);
      store_vec(x + 2 * pair, both);
    }
  }
}

enum class RopeRung { number, packs };

/// Whether rung packs can take these rows.
template <typename T>
constexpr bool fits_rope_packs(const RopeRows<T>& rows, int num_pairs, RopePairs pairs) {
  const int neighbours = pairs == RopePairs::halves ? num_pairs : 2 * num_pairs;
  return fits_packs<T>(neighbours) && fits_packs<T>(rows.token_stride) && fits_packs<T>(rows.head_stride);
}

/// MisuseError when the rung cannot take the rows.
template <typename T>
void rope(RopeRung rung, Stream& stream, const RopeRows<T>& rows, const RopeAngles& angles, RopePairs pairs) {
  if (rung == RopeRung::packs && !fits_rope_packs(rows, angles.num_pairs, pairs)) {
    throw MisuseError("rope: packs take strides and neighbouring numbers of a multiple of " +
                      std::to_string(Pack<T>::kCount) + ", not " + std::to_string(angles.num_pairs) + " pairs, heads " +
                      std::to_string(rows.head_stride) + " and tokens " + std::to_string(rows.token_stride) +
                      " numbers apart");
  }
  if (rows.tokens == 0) return;
  const auto choose = [&](auto interleaved, auto halves) {
    launch(pairs == RopePairs::halves ? halves : interleaved, static_cast<unsigned>(rows.tokens), 128, 0, stream, rows,
           angles);
  };
  if (rung == RopeRung::packs) {
    choose(rope_packs<T, RopePairs::interleaved>, rope_packs<T, RopePairs::halves>);
  } else {
    choose(rope_number<T, RopePairs::interleaved>, rope_number<T, RopePairs::halves>);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
