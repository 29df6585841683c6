#include "core/speculation/rule_experiment.h"

#include <algorithm>

#include "core/sampling/sampling.h"
#include "core/speculation/residual.h"

namespace kvarium {

const std::vector<RuleProblem>& rule_problems() {
  static const std::vector<RuleProblem> kProblems{{"two tokens", {.5, .5}, {.9, .1}},
                                                  {"four tokens", {.20, .50, .20, .10}, {.50, .30, .15, .05}}};
  return kProblems;
}

RuleExperiment::RuleExperiment(const RuleProblem& problem, Recovery recovery, std::uint64_t seed)
    : target_(problem.p), draft_(problem.q), recovery_(recovery), random_(seed), counts_(problem.p.size(), 0) {}

void RuleExperiment::draw_to(std::uint64_t draws) {
  const std::vector<std::vector<double>> rows{target_, target_};  // the second would give the bonus
  Draft draft{{TokenId{0}}, {draft_}};
  while (draws_ < draws) {
    draft.tokens.front() = draw(draft_, uniform(random_));
    const double judge = uniform(random_), behind = uniform(random_);
    const double uniforms[] = {judge, behind};
    const Verdict verdict = verify_sampled(draft, rows, uniforms, recovery_);
    ++counts_[index(verdict.rejected() ? verdict.next : draft.tokens.front())];
    if (++draws_ < next_mark_) continue;
    marks_.push_back({draws_, fit().statistic});
    next_mark_ += next_mark_ / 4 + 1;
  }
}

std::vector<double> RuleExperiment::shares() const {
  std::vector<double> shares;
  const double all = draws_ == 0 ? 1 : static_cast<double>(draws_);
  for (const std::uint64_t count : counts_) shares.push_back(static_cast<double>(count) / all);
  return shares;
}

std::vector<double> RuleExperiment::law() const {
  const double rejected = rejection_probability(target_, draft_);
  const std::vector<double> left = recovery_ == Recovery::residual ? residual(target_, draft_) : target_;
  std::vector<double> law;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    law.push_back(std::min(target_[i], draft_[i]) + rejected * left[i]);
  }
  return law;
}

}  // namespace kvarium
