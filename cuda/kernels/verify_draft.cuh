#pragma once
// Which drafts of a batch the target accepts, and the token behind them: the modified rejection sampling of
// core/speculation/acceptance.h (Leviathan et al. 2023, algorithm 1; Chen et al. 2023), with given random numbers.
// Draft i is accepted when p[i] / q[i] >= u[i] at its token; in place of the first that is not comes a token of
// max(p - q, 0), and behind k accepted ones a token of p[k].
//
//   rung    idea                                bytes moved a sequence     what to learn
//   thread  one thread a sequence: the loops    2 (1 + d) V s; without a   the rule itself; a sum, and then a walk
//           of core/speculation, as they stand  rejection V s              along it
//   block   one block a sequence; sums and walk (1 + d) (V + v) s          a running sum need not be made one number
//           by vocabulary_scan.cuh                                         after another
//
// V: tokens of the vocabulary, v: of one of its shares, s: bytes of a probability; d: 1 where a draft was rejected that
// was drawn from a q, else 0. Rung thread stops reading where its walk ends. To this come 12 + 2 s bytes a draft that
// is judged (by each warp), and 24 a sequence, in rung block up to 16 a thread.
//
// Probabilities are float or double; all is computed in double, as in core/speculation. Rung thread has the same
// roundings in the same order, so that its tokens are the same. In rung block sums have another order: the token can be
// another one when u lies within (4 V + 2) 2^-53 of the border between the two.
// No token comes, kNoToken, where core/speculation throws: behind a draft that is outside the vocabulary, for a NaN or
// an infinity in p or q of a rejected draft, for a q that is no probability, and for more drafts than there is room
// for.

#include <cmath>
#include <cstddef>
#include <string>

#include "core/error.h"
#include "cuda/kernels/vocabulary_scan.cuh"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

inline constexpr unsigned kVerifyThreads = 256;  ///< of a block

/// The rounds of a batch. T: float or double.
template <typename T>
struct VerifyDraft {
  gptr<const int> drafts;       ///< [sequence][most_drafts]
  gptr<const unsigned> counts;  ///< [sequence] drafts of each, 0 to most_drafts
  gptr<const T> target;         ///< [sequence][most_drafts + 1][vocab] p
  gptr<const T> draft;          ///< [sequence][most_drafts][vocab] q; null: nothing was drawn, each draft was certain
  gptr<const double> uniforms;  ///< [sequence][most_drafts + 1] in [0, 1): one a draft, number k for what comes behind
  gptr<int> accepted;           ///< [sequence] how many drafts
  gptr<int> next;               ///< [sequence] the token behind them
  unsigned sequences = 0;
  unsigned most_drafts = 0;
  int vocab = 0;
};

/// The round of one sequence.
template <typename T>
struct OneRound {
  gptr<const int> drafts;
  gptr<const T> p, q;
  gptr<const double> uniforms;
  unsigned count;
  int vocab;

  __device__ OneRound(const VerifyDraft<T>& call, unsigned sequence)
      : drafts(call.drafts + std::size_t{sequence} * call.most_drafts),
        p(call.target + std::size_t{sequence} * (call.most_drafts + 1) * static_cast<unsigned>(call.vocab)),
        q(nullptr),
        uniforms(call.uniforms + std::size_t{sequence} * (call.most_drafts + 1)),
        count(call.counts[sequence]),
        vocab(call.vocab) {
    if (call.draft == nullptr) return;
    q = call.draft + std::size_t{sequence} * call.most_drafts * static_cast<unsigned>(call.vocab);
  }

  __device__ bool is_token(int id) const { return id >= 0 && id < vocab; }
  __device__ std::size_t row(unsigned i) const { return std::size_t{i} * static_cast<unsigned>(vocab); }

  __device__ bool accepts(unsigned i) const {
    const int token = drafts[i];
    if (!is_token(token)) return false;
    const auto of_target = static_cast<double>(p[row(i) + static_cast<unsigned>(token)]);
    const double of_draft = q == nullptr ? 1.0 : static_cast<double>(q[row(i) + static_cast<unsigned>(token)]);
    return of_target > 0 && of_draft > 0 && of_target / of_draft >= uniforms[i];
  }
};

/// What the token behind the accepted drafts is drawn from.
template <typename T>
struct NextRow {
  gptr<const T> p, q;
  int certain;  ///< the draft that was rejected, where q is null

  __device__ NextRow(const OneRound<T>& round, unsigned accepted, int rejected)
      : p(round.p + round.row(accepted)), q(nullptr), certain(rejected) {
    if (round.q != nullptr && accepted < round.count) q = round.q + round.row(accepted);
  }

  __device__ double possible(int token) const {
    const auto probability = static_cast<double>(p[token]);
    return probability > 0 ? probability : 0.0;
  }
  /// max(p - q, 0); NaN for a q that is no probability.
  __device__ double left(int token) const {
    const double certainty = token == certain ? 1.0 : 0.0;
    const double taken = q == nullptr ? certainty : static_cast<double>(q[token]);
    if (!(taken >= 0 && taken <= 1)) return static_cast<double>(NAN);
    const double rest = static_cast<double>(p[token]) - taken;
    return rest < 0 ? 0.0 : rest;
  }
};

/// The token whose share of [0, 1) holds u; the last with a value where rounding leaves the sum short.
template <typename Value>
__device__ int draw_in_order(int vocab, double u, const Value& value) {
  double reached = 0;
  int token = kNoToken;
  for (int i = 0; i < vocab && !(u < reached); ++i) {
    const double own = value(i);
    if (!(own > 0)) continue;
    token = i;
    reached += own;
  }
  return token;
}

template <typename T>
__device__ int next_by_thread(const NextRow<T>& row, bool is_rejected, int vocab, double u) {
  if (is_rejected) {
    double total = 0;
    for (int i = 0; i < vocab; ++i) total += row.left(i);
    if (total != 0) {
      return total < INFINITY ? draw_in_order(vocab, u, [&](int i) { return row.left(i) / total; }) : kNoToken;
    }
  }
  return draw_in_order(vocab, u, [&](int i) { return row.possible(i); });
}

/// One thread a sequence.
template <typename T>
__global__ void verify_draft_thread(VerifyDraft<T> call) {
  const unsigned sequence = blockIdx.x * blockDim.x + threadIdx.x;
  if (sequence >= call.sequences) return;
  const OneRound<T> round(call, sequence);
  const bool has_room = round.count <= call.most_drafts;
  unsigned accepted = 0;
  while (has_room && accepted < round.count && round.accepts(accepted)) ++accepted;
  const bool is_rejected = has_room && accepted < round.count;
  const int rejected = is_rejected ? static_cast<int>(round.drafts[accepted]) : kNoToken;
  int next = kNoToken;
  if (has_room && (!is_rejected || round.is_token(rejected))) {
    next = next_by_thread(NextRow<T>(round, accepted, rejected), is_rejected, call.vocab, round.uniforms[round.count]);
  }
  call.accepted[sequence] = static_cast<int>(accepted);
  call.next[sequence] = next;
}

/// How many drafts are accepted before the first that is not; 32 are judged at a time. Each warp for itself.
template <typename T>
__device__ unsigned accepted_by_warp(const OneRound<T>& round) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned first = 0; first < round.count; first += 32) {
    const bool rejects = first + lane < round.count && !round.accepts(first + lane);
    const unsigned rejecting = __ballot_sync(all_lanes<32>(), rejects);
    if (rejecting != 0) return first + static_cast<unsigned>(lowest_bit(rejecting));
  }
  return round.count;
}

template <typename T>
__device__ int next_by_block(const ScanRoom& room, const NextRow<T>& row, bool is_rejected, int vocab, double u) {
  if (is_rejected) {
    const auto left = [&](int token) { return row.left(token); };
    add_up(room, vocab, left);
    const double total = total_of(room, vocab);
    if (total != 0) {
      if (!(total < INFINITY)) return kNoToken;
      return first_reaching(
          room, vocab, 0, [&](double reached) { return reached > u * total; }, left);
    }
    __syncthreads();  // others still add up the total
  }
  const auto possible = [&](int token) { return row.possible(token); };
  add_up(room, vocab, possible);
  return first_reaching(
      room, vocab, 0, [&](double reached) { return reached > u; }, possible);
}

/// blockIdx.x: sequence.
template <typename T>
__global__ void __launch_bounds__(kVerifyThreads) verify_draft_block(VerifyDraft<T> call) {
  SIMT_SHARED(double[kShares], shares);
  SIMT_SHARED(int[1], found);
  const OneRound<T> round(call, blockIdx.x);
  const bool has_room = round.count <= call.most_drafts;
  const unsigned accepted = has_room ? accepted_by_warp(round) : 0;
  const bool is_rejected = has_room && accepted < round.count;
  const int rejected = is_rejected ? static_cast<int>(round.drafts[accepted]) : kNoToken;
  int next = kNoToken;
  if (has_room && (!is_rejected || round.is_token(rejected))) {
    next = next_by_block({shares, found}, NextRow<T>(round, accepted, rejected), is_rejected, call.vocab,
                         round.uniforms[round.count]);
  }
  if (threadIdx.x != 0) return;
  call.accepted[blockIdx.x] = static_cast<int>(accepted);
  call.next[blockIdx.x] = next;
}

enum class VerifyRung { thread, block };

/// MisuseError, and nothing is launched, without a vocabulary.
template <typename T>
void verify_draft(VerifyRung rung, Stream& stream, const VerifyDraft<T>& call) {
  if (call.vocab <= 0) {
    throw MisuseError("verify_draft: a vocabulary has tokens, not " + std::to_string(call.vocab));
  }
  if (call.sequences == 0) return;
  if (rung == VerifyRung::thread) {
    launch(verify_draft_thread<T>, (call.sequences + 31) / 32, 32, 0, stream, call);
  } else {
    launch(verify_draft_block<T>, call.sequences, kVerifyThreads, 0, stream, call);
  }
}

/// Greedy decoding: a draft is accepted when it is what the target itself says.
struct VerifyGreedy {
  gptr<const int> drafts;       ///< [sequence][most_drafts]
  gptr<const unsigned> counts;  ///< [sequence] drafts of each, 0 to most_drafts
  gptr<const int> best;         ///< [sequence][most_drafts + 1] as argmax() gives them
  gptr<int> accepted;           ///< [sequence] how many drafts
  gptr<int> next;               ///< [sequence] what the target says behind them
  unsigned sequences = 0;
  unsigned most_drafts = 0;
};

/// One thread a sequence: a few numbers each. A template, so that every source may have it.
template <typename Call>
__global__ void verify_greedy_thread(Call call) {
  const unsigned sequence = blockIdx.x * blockDim.x + threadIdx.x;
  if (sequence >= call.sequences) return;
  const gptr<const int> drafts = call.drafts + std::size_t{sequence} * call.most_drafts;
  const gptr<const int> best = call.best + std::size_t{sequence} * (call.most_drafts + 1);
  const unsigned count = call.counts[sequence];
  const bool has_room = count <= call.most_drafts;
  unsigned accepted = 0;
  while (has_room && accepted < count && drafts[accepted] == best[accepted]) ++accepted;
  call.accepted[sequence] = static_cast<int>(accepted);
  call.next[sequence] = has_room ? best[accepted] : kNoToken;
}

inline void verify_greedy(Stream& stream, const VerifyGreedy& call) {
  if (call.sequences == 0) return;
  launch(verify_greedy_thread<VerifyGreedy>, (call.sequences + 127) / 128, 128, 0, stream, call);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
