#pragma once
// What counting says of two rules of acceptance, in words.

#include <string>

#include "core/speculation/rule_experiment.h"

namespace kvarium {

/// "chi-square 0.5, by chance up to 10.8: it fits", or that it does not; "nothing drawn yet".
std::string fit_in_words(const RuleExperiment& experiment);
/// "token 0 passes with 0.56; in its place: (0.000, 1.000)", for the first token that may be rejected.
std::string worked_position(const RuleProblem& problem);
/// p, q, the shares that came of the exact rule and of the bug zoo's, where that leads, and both verdicts.
std::string rule_report(const RuleProblem& problem, const RuleExperiment& exact, const RuleExperiment& zoo);

}  // namespace kvarium
