#include "core/metrics/speculation_figures.h"

#include "core/metrics/metrics_log.h"
#include "core/speculation/theory.h"

namespace kvarium {
namespace {

void count(SpeculationFigures& figures, const DraftRound& round) {
  const std::size_t accepted = round.accepted();
  ++figures.rounds;
  figures.drafted += round.tokens.size();
  figures.judged += round.trials.size();
  figures.has_trees = figures.has_trees || !round.parents.empty();
  figures.accepted += accepted;
  if (figures.with_accepted.size() <= round.longest()) figures.with_accepted.resize(round.longest() + 1, 0);
  ++figures.with_accepted[accepted];
}

/// What theory expects of as many rounds of the same lengths.
void expect(SpeculationFigures& figures, const Rounds& rounds) {
  figures.expected_with_accepted.resize(figures.with_accepted.size(), 0.0);
  double tokens = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const DraftRound& round = rounds[i].round;
    if (!round.next) continue;
    const std::uint32_t k = round.longest();
    tokens += expected_tokens(figures.alpha, k);
    for (std::uint32_t a = 0; a <= k; ++a) {
      figures.expected_with_accepted[a] += probability_of_accepted(figures.alpha, k, a);
    }
  }
  figures.expected_tokens_a_round = tokens / static_cast<double>(figures.rounds);
}

}  // namespace

SpeculationFigures speculation_figures(const Rounds& rounds, double cost) {
  SpeculationFigures figures;
  std::uint64_t given = 0;  // less than was accepted where an answer ended within a round
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (!rounds[i].round.next) continue;
    count(figures, rounds[i].round);
    given += rounds[i].given;
  }
  if (figures.rounds == 0) return figures;
  figures.alpha = share(figures.accepted, figures.judged);
  figures.tokens_a_round = share(given, figures.rounds);
  expect(figures, rounds);
  for (std::uint32_t k = 0; k <= kLongestModelled; ++k) {
    figures.speedups.push_back(expected_speedup(figures.alpha, k, cost));
  }
  figures.best_length = best_draft_length(figures.alpha, cost, kLongestModelled);
  return figures;
}

}  // namespace kvarium
