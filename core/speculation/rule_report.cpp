#include "core/speculation/rule_report.h"

#include <fmt/format.h>

#include "core/speculation/residual.h"
#include "core/speculation/theory.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::string row(std::string_view what, const std::vector<double>& numbers) {
  std::string text = fmt::format("{:<34}", what);
  for (const double number : numbers) text += fmt::format(" {:>6.3f}", number);
  return text + "\n";
}

}  // namespace

std::string fit_in_words(const RuleExperiment& experiment) {
  if (experiment.draws() == 0) return std::string(tr("nothing drawn yet"));
  return tr_format(experiment.fits() ? "chi-square {:.1f}, by chance up to {:.1f}: it fits"
                                     : "chi-square {:.1f}, by chance up to {:.1f}: it does not fit",
                   experiment.fit().statistic, experiment.critical());
}

std::string worked_position(const RuleProblem& problem) {
  std::size_t token = 0;
  while (token + 1 < problem.p.size() && acceptance_probability(problem.p[token], problem.q[token]) == 1) ++token;
  std::string left;
  for (const double share : residual(problem.p, problem.q)) {
    left += fmt::format("{}{:.3f}", left.empty() ? "" : ", ", share);
  }
  return tr_format("token {} passes with {:.2f} / {:.2f} = {:.2f}; in its place: ({})", token, problem.p[token],
                   problem.q[token], acceptance_probability(problem.p[token], problem.q[token]), left);
}

std::string rule_report(const RuleProblem& problem, const RuleExperiment& exact, const RuleExperiment& zoo) {
  return tr_format("{} draws of each rule\n", exact.draws()) + row(tr("the target's p"), problem.p) +
         row(tr("the draft's q"), problem.q) + worked_position(problem) + "\n" +
         row(tr("in its place: from the residual"), exact.shares()) + "  " + fit_in_words(exact) + "\n" +
         row(tr("in its place: from p (bug zoo)"), zoo.shares()) + "  " + fit_in_words(zoo) + "\n" +
         row(tr("  leads to"), zoo.law());
}

}  // namespace kvarium
