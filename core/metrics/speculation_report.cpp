#include "core/metrics/speculation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string line(std::string text) { return std::move(text) + "\n"; }

std::string block_names(const std::vector<BlockId>& blocks) {
  std::string names;
  for (const BlockId block : blocks) names += (names.empty() ? "" : " ") + std::to_string(value(block));
  return names;
}

std::string draft_line(const DraftRound& round, std::size_t i, const World& world) {
  std::string text = fmt::format("  {:>4}  {:<12} q {:.3f}", round.first + round.depth(i) - 1,
                                 "[" + printable(world.text_of(round.tokens[i])) + "]", round.q[i]);
  if (const DraftTrial* trial = round.trial_of(i)) text += fmt::format("  p {:.3f}  u {:.3f}", trial->p, trial->u);
  return text + fmt::format("  {}", tr(fate_name(fate_of(round, i))));
}

std::string next_line(const DraftRound& round, const World& world) {
  return fmt::format("  {:>4}  {:<12} {}", round.first + round.accepted(),
                     "[" + printable(world.text_of(*round.next)) + "]",
                     tr_format("probability {:.3f}, {}", round.next_probability, tr(fate_name(fate_of_next(round)))));
}

/// "rounds that accepted a guesses: counted, and by theory"
std::string accepted_table(const SpeculationFigures& figures) {
  std::string text = line(fmt::format("{:>10} {:>9} {:>10}", tr("accepted"), tr("rounds"), tr("by theory")));
  for (std::size_t a = 0; a < figures.with_accepted.size(); ++a) {
    text += line(fmt::format("{:>10} {:>9} {:>10.1f}", a, figures.with_accepted[a], figures.expected_with_accepted[a]));
  }
  return text;
}

std::string speedup_table(const SpeculationFigures& figures) {
  std::string text = line(fmt::format("{:>10} {:>9}", "k", tr("speed-up")));
  for (std::size_t k = 0; k < figures.speedups.size(); ++k) {
    const bool best = k == figures.best_length;
    text += line(fmt::format("{:>10} {:>9.2f}{}", k, figures.speedups[k], best ? fmt::format("  {}", tr("best")) : ""));
  }
  return text;
}

}  // namespace

DraftFate fate_of(const DraftRound& round, std::size_t draft) {
  if (const DraftTrial* trial = round.trial_of(draft)) {
    return trial->accepted ? DraftFate::accepted : DraftFate::rejected;
  }
  if (!round.parents.empty()) return round.next ? DraftFate::passed_by : DraftFate::waiting;
  return round.rejected() ? DraftFate::unjudged : DraftFate::waiting;
}

DraftFate fate_of_next(const DraftRound& round) {
  if (!round.next) throw MisuseError("the round is not over");
  return round.rejected() ? DraftFate::recovered : DraftFate::bonus;
}

std::string_view fate_name(DraftFate fate) {
  switch (fate) {
    case DraftFate::waiting:
      return "to be judged";
    case DraftFate::accepted:
      return "accepted";
    case DraftFate::rejected:
      return "rejected";
    case DraftFate::unjudged:
      return "void";
    case DraftFate::passed_by:
      return "passed by";
    case DraftFate::recovered:
      return "in its place";
    case DraftFate::bonus:
      return "bonus";
  }
  throw MisuseError("a fate of an unknown kind");
}

std::string round_line(const RoundRecord& record) {
  const DraftRound& round = record.round;
  if (!round.next) {
    return tr_format("step {}, request {}: {} of {} guesses judged", record.step, letter(record.request),
                     round.trials.size(), round.tokens.size());
  }
  return tr_format("step {}, request {}: {} of {} guesses accepted, {} tokens", record.step, letter(record.request),
                   round.accepted(), round.tokens.size(), record.given);
}

std::string round_text(const RoundRecord& record, const World& world) {
  std::string text = line(round_line(record));
  for (std::size_t i = 0; i < record.round.tokens.size(); ++i) text += line(draft_line(record.round, i, world));
  if (record.round.next) text += line(next_line(record.round, world));
  if (!record.taken.empty()) text += line("  " + tr_format("blocks taken: {}", block_names(record.taken)));
  if (!record.returned.empty()) text += line("  " + tr_format("blocks returned: {}", block_names(record.returned)));
  return text;
}

std::vector<std::string> figures_in_words(const SpeculationFigures& figures, std::uint32_t length, double cost) {
  if (figures.rounds == 0) return {std::string(tr("No round is over yet."))};
  const double now = length < figures.speedups.size() ? figures.speedups[length] : 0;
  std::vector<std::string> sentences{
      tr_format("{} of {} judged guesses accepted: alpha {:.2f}.", figures.accepted, figures.judged, figures.alpha),
      tr_format("Tokens a round: {:.2f} counted, {:.2f} by theory.", figures.tokens_a_round,
                figures.expected_tokens_a_round),
      figures.best_length == 0
          ? tr_format("When a guess costs {:.2f} of a pass, it is best not to guess.", cost)
          : tr_format("When a guess costs {:.2f} of a pass, {} guesses a round are best: {:.2f} times as fast.", cost,
                      figures.best_length, figures.speedups[figures.best_length])};
  if (figures.has_trees) {
    sentences.emplace_back(tr("The formulas are of chains that are accepted as often: a tree costs all its guesses."));
  } else if (now > 0) {
    sentences.push_back(tr_format("The {} of this run: {:.2f} times.", length, now));
  }
  return sentences;
}

std::string speculation_report(const Rounds& rounds, const SpeculationFigures& figures, const World& world, double cost,
                               std::size_t most_rounds) {
  std::string text =
      world.proposer.empty()
          ? line(std::string(tr("Nothing is guessed in this run.")))
          : line(tr_format("Guesses: {}, at most {} a round.", printable(world.proposer), world.most_drafts));
  const std::size_t shown = std::min(rounds.size(), most_rounds);
  for (std::size_t i = 0; i < shown; ++i) text += round_text(rounds[rounds.size() - 1 - i], world);
  if (shown < rounds.size()) text += line(tr_format("... {} earlier rounds", rounds.size() - shown));
  if (world.proposer.empty()) return text;
  for (const std::string& sentence : figures_in_words(figures, world.most_drafts, cost)) text += line(sentence);
  if (figures.rounds == 0) return text;
  return text + accepted_table(figures) + speedup_table(figures);
}

}  // namespace kvarium
