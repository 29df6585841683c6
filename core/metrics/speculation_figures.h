#pragma once
// What guessing ahead was worth in a run so far, beside what theory expects of drafts that are accepted as often.

#include <cstdint>
#include <vector>

#include "core/metrics/round_log.h"

namespace kvarium {

struct SpeculationFigures {
  std::uint64_t rounds = 0;  ///< that are over
  std::uint64_t drafted = 0;
  std::uint64_t judged = 0;  ///< drafts up to the first that was rejected
  std::uint64_t accepted = 0;
  bool has_trees = false;                      ///< the formulas are of chains that are accepted as often
  double alpha = 0;                            ///< accepted of those that were judged
  double tokens_a_round = 0;                   ///< as counted
  double expected_tokens_a_round = 0;          ///< by theory, with alpha and the lengths that the rounds had
  std::vector<std::uint64_t> with_accepted;    ///< [longest + 1]: rounds that accepted a drafts
  std::vector<double> expected_with_accepted;  ///< the same by theory
  std::vector<double> speedups;                ///< [kLongestModelled + 1]: modelled, of drafts of length k
  std::uint32_t best_length = 0;               ///< of them; 0: better not to guess
};

/// The longest draft that a speed-up is modelled for.
inline constexpr std::uint32_t kLongestModelled = 16;

/// `cost`: c of core/speculation/theory.h. Without a round that is over, everything is 0 or empty.
SpeculationFigures speculation_figures(const Rounds& rounds, double cost);

}  // namespace kvarium
