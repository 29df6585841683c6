#pragma once
// Where, in the order of ids, the running sum of some value of the tokens is enough: how a block draws a token.
//
// The vocabulary is cut into shares. The block's warps add up a share each, 32 neighbours at a time; then the first
// warp looks through these sums for the share in which enough is reached, and through its tokens for the one. A warp
// gets 32 running sums in five steps: each lane adds what the lane 1, 2, 4, 8, 16 to its left has (Hillis and Steele
// 1986). So all values are read once, and those of one share twice. The order of the sums depends on nothing but the
// size of the vocabulary.

#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/kernel.h"
#include "cuda/simt/math.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr int kNoToken = -1;
inline constexpr int kShares = 256;  ///< at most

/// Shared memory of the block.
struct ScanRoom {
  sptr<double> shares;  ///< [kShares]
  sptr<int> found;      ///< [1]
};

/// Tokens of a share: whole rows of 32 lanes.
__device__ __forceinline__ int share_of(int vocab) { return ((vocab + kShares - 1) / kShares + 31) / 32 * 32; }

/// Adds up value(token) share by share: not below 0, or NaN. Nobody may still need what an earlier call has added up.
template <typename Value>
__device__ void add_up(const ScanRoom& room, int vocab, const Value& value) {
  const int share = share_of(vocab), lane = static_cast<int>(threadIdx.x % 32);
  for (int s = static_cast<int>(threadIdx.x / 32); s * share < vocab; s += static_cast<int>(blockDim.x / 32)) {
    const int end = min((s + 1) * share, vocab);
    double sum = 0;
    for (int token = s * share + lane; token < end; token += 32) sum += value(token);
    sum = warp_sum(sum);
    if (lane == 0) room.shares[s] = sum;
  }
  __syncthreads();
}

/// Of all that add_up() has added up; in every thread.
__device__ __forceinline__ double total_of(const ScanRoom& room, int vocab) {
  const int share = share_of(vocab);
  double sum = 0;
  for (int s = static_cast<int>(threadIdx.x % 32); s * share < vocab; s += 32) sum += room.shares[s];
  return warp_sum(sum);
}

struct Place {
  int at = kNoToken;
  double before = 0;  ///< the sum of what is in front
};

/// The first place in [first, end) that has a value and at which `before` + the running sum is enough. Where it is so
/// nowhere, since another order of the sums was rounded otherwise, the last that has a value. A whole warp calls it.
template <typename IsEnough, typename Value>
__device__ Place first_place(int first, int end, double before, const IsEnough& is_enough, const Value& value) {
  constexpr unsigned kAll = all_lanes<32>();
  const int lane = static_cast<int>(threadIdx.x % 32);
  Place found;
  for (int row = first; row < end; row += 32) {
    const double own = row + lane < end ? value(row + lane) : 0.0;
    double reached = own;
    SIMT_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
      const double left = __shfl_up_sync(kAll, reached, static_cast<unsigned>(distance));
      if (lane >= distance) reached += left;
    }
    const double to_the_left = __shfl_up_sync(kAll, reached, 1U);
    const double in_front = lane == 0 ? before : before + to_the_left;
    const unsigned possible = __ballot_sync(kAll, own > 0);
    const unsigned enough = __ballot_sync(kAll, own > 0 && is_enough(before + reached));
    if (possible != 0) {
      const int chosen = enough != 0 ? lowest_bit(enough) : highest_bit(possible);
      found = {row + chosen, __shfl_sync(kAll, in_front, chosen)};
    }
    if (enough != 0) break;
    before += __shfl_sync(kAll, reached, 31);
  }
  return found;
}

/// The first token with a value at which start + the running sum is enough, of what add_up() was given; kNoToken when
/// no token has a value. In every thread.
template <typename IsEnough, typename Value>
__device__ int first_reaching(const ScanRoom& room, int vocab, double start, const IsEnough& is_enough,
                              const Value& value) {
  if (threadIdx.x < 32) {
    const int share = share_of(vocab);
    const Place in = first_place(0, (vocab + share - 1) / share, start, is_enough,
                                 [&](int s) { return static_cast<double>(room.shares[s]); });
    Place token;
    if (in.at != kNoToken) {
      token = first_place(in.at * share, min((in.at + 1) * share, vocab), in.before, is_enough, value);
    }
    if (threadIdx.x == 0) room.found[0] = token.at;
  }
  __syncthreads();
  return room.found[0];
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
