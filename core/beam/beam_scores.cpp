#include "core/beam/beam_scores.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/error.h"

namespace kvarium {
namespace {

bool before(const Continuation& a, const Continuation& b) {
  return std::make_tuple(-a.log_probability, a.beam, value(a.token)) <
         std::make_tuple(-b.log_probability, b.beam, value(b.token));
}

std::vector<Continuation> first_of(std::vector<Continuation> all, std::size_t most) {
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), before);
  all.resize(kept);
  return all;
}

}  // namespace

// Subtracting the largest logit first: exp() of what is left cannot overflow.
std::vector<double> log_probabilities(std::span<const float> logits) {
  if (logits.empty()) throw MisuseError("no logits");
  double largest = -INFINITY;
  for (const float logit : logits) {
    if (std::isnan(logit)) throw MisuseError("a logit is not a number");
    largest = std::max(largest, static_cast<double>(logit));
  }
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  std::vector<double> result;
  result.reserve(logits.size());
  for (const float logit : logits) result.push_back(static_cast<double>(logit) - largest - std::log(sum));
  return result;
}

double beam_score(double log_probability, std::size_t num_tokens, double length_penalty) {
  return log_probability / std::pow(static_cast<double>(num_tokens), length_penalty);
}

std::vector<Continuation> continuations(std::size_t beam, double log_probability, std::span<const double> next,
                                        std::size_t most) {
  std::vector<Continuation> all;
  all.reserve(next.size());
  for (std::size_t token = 0; token < next.size(); ++token) {
    all.push_back({beam, TokenId{static_cast<std::int32_t>(token)}, log_probability + next[token]});
  }
  return first_of(std::move(all), most);
}

std::vector<Continuation> best_of(const std::vector<std::vector<Continuation>>& offered, std::size_t most) {
  std::vector<Continuation> all;
  for (const std::vector<Continuation>& of_beam : offered) all.insert(all.end(), of_beam.begin(), of_beam.end());
  return first_of(std::move(all), most);
}

}  // namespace kvarium
