#pragma once
// One draft, one verdict, again and again: does what comes out have the target's distribution? A rule of acceptance is
// judged by counting.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/speculation/acceptance.h"
#include "core/speculation/chi_square.h"

namespace kvarium {

/// What the target says and what the draft is drawn from: [vocab] each.
struct RuleProblem {
  std::string title;  ///< English
  std::vector<double> p, q;
};
/// That of the bug zoo, with two tokens, where the wrong rule leads to (.70, .30); and the worked position of S06.
const std::vector<RuleProblem>& rule_problems();

/// Counts the tokens that come out. The same seed and number of draws give the same counts, in however many pieces they
/// were drawn.
class RuleExperiment {
 public:
  RuleExperiment(const RuleProblem& problem, Recovery recovery, std::uint64_t seed);

  /// Draws on until there are so many.
  void draw_to(std::uint64_t draws);

  std::uint64_t draws() const { return draws_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::vector<double> shares() const;  ///< [vocab]; zeros before the first draw
  /// What the shares come to in the end, by algebra: each token is drafted and accepted with min(p, q), or takes the
  /// place of another that was rejected. The target's own distribution, if the rule is right.
  std::vector<double> law() const;
  /// Of the counts, against the target. MisuseError before the first draw.
  ChiSquare fit() const { return chi_square(counts_, target_); }
  /// What the statistic passes by chance alone once in a thousand times. MisuseError before the first draw.
  double critical() const { return chi_square_critical(kChance, fit().degrees); }
  bool fits() const { return fit().statistic <= critical(); }  ///< MisuseError before the first draw

  /// The statistic on the way, at draws that grow by about a quarter.
  struct Mark {
    std::uint64_t draws = 0;
    double statistic = 0;
  };
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  static constexpr double kChance = .001;

  std::vector<double> target_, draft_;
  Recovery recovery_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> counts_;
  std::vector<Mark> marks_;
  std::uint64_t draws_ = 0, next_mark_ = 1;
};

}  // namespace kvarium
