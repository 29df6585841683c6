#pragma once
// Drafts for verify_draft, and what must come of them: for the emulated tests and for those on a device.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cuda/kernels/verify_draft.cuh"

namespace kvarium_test {

using namespace kvarium::cuda;

/// How many drafts are accepted, and what comes behind them.
struct Judged {
  int accepted = 0;
  int next = kNoToken;
  bool operator==(const Judged&) const = default;
};

/// Rounds of sequences with `counts` drafts each. What no sequence may look at is NaN, and no token.
template <typename T>
struct VerifyProblem {
  VerifyProblem(int num_tokens, std::vector<unsigned> drafts_of_each, bool drawn, unsigned seed = 1)
      : vocab(num_tokens), is_drawn(drawn), counts(std::move(drafts_of_each)), random(seed) {
    for (const unsigned count : counts) most_drafts = std::max(most_drafts, count);
    const std::size_t rows = counts.size() * (most_drafts + 1), size = static_cast<std::size_t>(vocab);
    p.assign(rows * size, static_cast<T>(NAN));
    if (is_drawn) q.assign(counts.size() * most_drafts * size, static_cast<T>(NAN));
    drafts.assign(counts.size() * most_drafts, kNoToken);
    uniforms.assign(rows, NAN);
    for (std::size_t s = 0; s < counts.size(); ++s) fill(s);
  }

  T* target(std::size_t sequence, std::size_t i) {
    return p.data() + (sequence * (most_drafts + 1) + i) * static_cast<std::size_t>(vocab);
  }
  const T* target(std::size_t sequence, std::size_t i) const {
    return const_cast<VerifyProblem*>(this)->target(sequence, i);
  }
  T* draft(std::size_t sequence, std::size_t i) {
    return q.data() + (sequence * most_drafts + i) * static_cast<std::size_t>(vocab);
  }
  const T* draft(std::size_t sequence, std::size_t i) const {
    return const_cast<VerifyProblem*>(this)->draft(sequence, i);
  }
  int& token(std::size_t sequence, std::size_t i) { return drafts[sequence * most_drafts + i]; }
  int token(std::size_t sequence, std::size_t i) const { return drafts[sequence * most_drafts + i]; }
  double& uniform(std::size_t sequence, std::size_t i) { return uniforms[sequence * (most_drafts + 1) + i]; }
  double uniform(std::size_t sequence, std::size_t i) const { return uniforms[sequence * (most_drafts + 1) + i]; }

  std::vector<Judged> run(VerifyRung rung) const {
    const DeviceBuffer<int> drafts_device(drafts, "drafts");
    const DeviceBuffer<unsigned> counts_device(counts, "counts");
    const DeviceBuffer<T> p_device(p, "target"), q_device(q, "draft");
    const DeviceBuffer<double> uniforms_device(uniforms, "uniforms");
    DeviceBuffer<int> accepted(counts.size(), "accepted"), next(counts.size(), "next");
    Stream stream;
    VerifyDraft<T> call{drafts_device.ptr(),   counts_device.ptr(), p_device.ptr(), nullptr,
                        uniforms_device.ptr(), accepted.ptr(),      next.ptr()};
    if (is_drawn) call.draft = q_device.ptr();
    call.sequences = static_cast<unsigned>(counts.size());
    call.most_drafts = most_drafts;
    call.vocab = vocab;
    verify_draft<T>(rung, stream, call);
    stream.synchronize();
    return judged(accepted.download(), next.download());
  }

  static std::vector<Judged> judged(const std::vector<int>& accepted, const std::vector<int>& next) {
    std::vector<Judged> all;
    for (std::size_t s = 0; s < next.size(); ++s) all.push_back({accepted[s], next[s]});
    return all;
  }

  /// The rule in double. `moved` is added to the number that the last token is drawn with.
  Judged expected(std::size_t s, double moved = 0) const {
    const auto at = [](const T* row, int id) { return static_cast<double>(row[static_cast<std::size_t>(id)]); };
    const double u = uniform(s, counts[s]) + moved;
    for (unsigned i = 0; i < counts[s]; ++i) {
      const int id = token(s, i);
      const double of_draft = is_drawn ? at(draft(s, i), id) : 1;
      if (at(target(s, i), id) > 0 && at(target(s, i), id) / of_draft >= uniform(s, i)) continue;
      std::vector<double> left(static_cast<std::size_t>(vocab));
      double total = 0;
      for (int other = 0; other < vocab; ++other) {
        const double certain = other == id ? 1 : 0, taken = is_drawn ? at(draft(s, i), other) : certain;
        left[static_cast<std::size_t>(other)] = std::max(at(target(s, i), other) - taken, 0.0);
        total += left[static_cast<std::size_t>(other)];
      }
      for (double& probability : left) probability /= total;
      return {static_cast<int>(i), drawn(left, u)};
    }
    const T* last = target(s, counts[s]);
    return {static_cast<int>(counts[s]), drawn({last, last + vocab}, u)};
  }

  /// Rung thread: as expected. Rung block adds up V numbers twice, once as a running sum and once for the total, each
  /// with an error of V 2^-53 of the sum at most (in any order of sums that are not below 0); so does the rule; and a
  /// product and V quotients are rounded. Of these 4 V + 2 roundings a border between two tokens, which is below 1, can
  /// be moved by as many 2^-53: the token lies between those of u minus and plus that.
  bool is_right(VerifyRung rung, std::size_t s, const Judged& got) const {
    const Judged wanted = expected(s);
    if (rung == VerifyRung::thread || wanted.accepted != got.accepted) return got == wanted;
    const double moved = (4.0 * vocab + 2) * 0x1p-53;
    return expected(s, -moved).next <= got.next && got.next <= expected(s, moved).next;
  }
  bool is_right(VerifyRung rung, const std::vector<Judged>& got) const {
    for (std::size_t s = 0; s < counts.size(); ++s) {
      if (!is_right(rung, s, got[s])) return false;
    }
    return got.size() == counts.size();
  }

  int vocab;
  bool is_drawn;
  std::vector<unsigned> counts;  ///< of drafts
  unsigned most_drafts = 0;
  std::vector<T> p, q;
  std::vector<int> drafts;
  std::vector<double> uniforms;

 private:
  static int drawn(const std::vector<double>& probabilities, double u) {
    double reached = 0;
    int id = kNoToken;
    for (std::size_t i = 0; i < probabilities.size() && !(u < reached); ++i) {
      if (probabilities[i] > 0) id = static_cast<int>(i);
      reached += probabilities[i];
    }
    return id;
  }
  double next_uniform() { return static_cast<double>(random() >> 11U) * 0x1p-53; }
  /// A distribution with one token in five impossible, never the first; like `other`, where that is given.
  std::vector<double> distribution(const T* other) {
    std::normal_distribution<double> normal;
    std::vector<double> row(static_cast<std::size_t>(vocab));
    double total = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = i > 0 && random() % 5 == 0 ? 0 : std::exp(2 * normal(random)) + 1e-9;
      if (other != nullptr) row[i] = 0.3 * row[i] / vocab + static_cast<double>(other[i]);
      total += row[i];
    }
    for (double& probability : row) probability /= total;
    return row;
  }
  void fill(std::size_t s) {
    for (unsigned i = 0; i <= counts[s]; ++i) {
      const std::vector<double> row = distribution(nullptr);
      std::transform(row.begin(), row.end(), target(s, i), [](double number) { return static_cast<T>(number); });
      uniform(s, i) = next_uniform();
      if (i == counts[s]) break;
      const std::vector<double> guess = distribution(target(s, i));
      token(s, i) = drawn(guess, next_uniform());
      if (!is_drawn) continue;
      std::transform(guess.begin(), guess.end(), draft(s, i), [](double number) { return static_cast<T>(number); });
    }
  }

  std::mt19937_64 random;
};

/// Drafts of sequences against the target's likeliest tokens.
inline std::vector<Judged> judged_greedily(const std::vector<int>& drafts, const std::vector<unsigned>& counts,
                                           const std::vector<int>& best, unsigned most_drafts) {
  const DeviceBuffer<int> drafts_device(drafts, "drafts"), best_device(best, "best");
  const DeviceBuffer<unsigned> counts_device(counts, "counts");
  DeviceBuffer<int> accepted(counts.size(), "accepted"), next(counts.size(), "next");
  Stream stream;
  verify_greedy(stream, {drafts_device.ptr(), counts_device.ptr(), best_device.ptr(), accepted.ptr(), next.ptr(),
                         static_cast<unsigned>(counts.size()), most_drafts});
  stream.synchronize();
  return VerifyProblem<float>::judged(accepted.download(), next.download());
}

}  // namespace kvarium_test
