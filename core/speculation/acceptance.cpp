#include "core/speculation/acceptance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "core/speculation/residual.h"

namespace kvarium {
namespace {

void expect_one_more(std::size_t given, std::size_t drafts, const char* what) {
  if (given == drafts + 1) return;
  throw MisuseError(std::to_string(drafts) + " drafts need " + std::to_string(drafts + 1) + " " + what + ", not " +
                    std::to_string(given));
}

double of(const std::vector<double>& probabilities, TokenId token) {
  if (value(token) < 0 || index(token) >= probabilities.size()) {
    throw MisuseError("draft " + std::to_string(value(token)) + " is outside the vocabulary");
  }
  return probabilities[index(token)];
}

std::vector<double> certain(TokenId token, std::size_t vocab) {
  std::vector<double> q(vocab, 0.0);
  q[index(token)] = 1;
  return q;
}

void draw_next(Verdict& verdict, const std::vector<double>& probabilities, double u) {
  verdict.next = draw(probabilities, u);
  verdict.next_probability = probabilities[index(verdict.next)];
}

/// In nats; 0 log 0 is 0.
double entropy(const std::vector<double>& probabilities) {
  double sum = 0;
  for (const double p : probabilities) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

}  // namespace

Verdict verify_greedy(std::span<const TokenId> drafts, std::span<const TokenId> best) {
  expect_one_more(best.size(), drafts.size(), "likeliest tokens");
  Verdict verdict;
  verdict.next_probability = 1;
  for (std::size_t i = 0; i < drafts.size() && !verdict.rejected(); ++i) {
    const bool same = drafts[i] == best[i];
    verdict.trials.push_back({drafts[i], same ? 1.0 : 0.0, 1.0, 0.0, same});
  }
  verdict.next = best[verdict.accepted()];
  return verdict;
}

Verdict verify_sampled(const Draft& draft, std::span<const std::vector<double>> target,
                       std::span<const double> uniforms, Recovery recovery) {
  const std::size_t k = draft.tokens.size();
  expect_one_more(target.size(), k, "distributions of the target");
  expect_one_more(uniforms.size(), k, "random numbers");
  const bool is_drawn = !draft.probabilities.empty();
  if (is_drawn && draft.probabilities.size() != k) throw MisuseError("each draft needs the distribution it came from");
  Verdict verdict;
  for (std::size_t i = 0; i < k; ++i) {
    const TokenId token = draft.tokens[i];
    const double p = of(target[i], token), q = is_drawn ? of(draft.probabilities[i], token) : 1.0;
    const bool accepted = p > 0 && q > 0 && p / q >= uniforms[i];
    verdict.trials.push_back({token, p, q, uniforms[i], accepted});
    if (accepted) continue;
    const bool right = recovery == Recovery::residual;
    const std::vector<double> left =
        right ? residual(target[i], is_drawn ? draft.probabilities[i] : certain(token, target[i].size())) : target[i];
    draw_next(verdict, left, uniforms[k]);
    return verdict;
  }
  draw_next(verdict, target[k], uniforms[k]);
  return verdict;
}

Verdict verify_typical(std::span<const TokenId> drafts, std::span<const std::vector<double>> target, double u,
                       const TypicalOptions& options) {
  expect_one_more(target.size(), drafts.size(), "distributions of the target");
  Verdict verdict;
  for (std::size_t i = 0; i < drafts.size() && !verdict.rejected(); ++i) {
    const double p = of(target[i], drafts[i]);
    const double enough = std::min(options.epsilon, options.delta * std::exp(-entropy(target[i])));
    verdict.trials.push_back({drafts[i], p, 1.0, 0.0, p > enough});
  }
  draw_next(verdict, target[verdict.accepted()], u);
  return verdict;
}

}  // namespace kvarium
