#include "core/speculation/theory.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace kvarium {

double acceptance_probability(double p, double q) { return p > 0 && q > 0 ? std::min(1.0, p / q) : 0; }

// Summed term by term, so that alpha = 1 needs no case of its own: the i-th token comes when i drafts were accepted.
double expected_tokens(double alpha, std::uint32_t k) {
  if (!(alpha >= 0 && alpha <= 1)) throw MisuseError("an acceptance that is not between 0 and 1");
  double sum = 0, all_accepted = 1;
  for (std::uint32_t i = 0; i <= k; ++i) {
    sum += all_accepted;
    all_accepted *= alpha;
  }
  return sum;
}

double expected_accepted(double alpha, std::uint32_t k) { return expected_tokens(alpha, k) - 1; }

double probability_of_accepted(double alpha, std::uint32_t k, std::uint32_t accepted) {
  if (!(alpha >= 0 && alpha <= 1)) throw MisuseError("an acceptance that is not between 0 and 1");
  if (accepted > k) throw MisuseError("more drafts accepted than there are");
  const double so_many = std::pow(alpha, accepted);
  return accepted == k ? so_many : so_many * (1 - alpha);
}

double expected_speedup(double alpha, std::uint32_t k, double c) {
  if (!(c >= 0)) throw MisuseError("a draft step that costs less than nothing");
  return expected_tokens(alpha, k) / (1 + c * k);
}

std::uint32_t best_draft_length(double alpha, double c, std::uint32_t most) {
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k <= most; ++k) {
    if (expected_speedup(alpha, k, c) > expected_speedup(alpha, best, c)) best = k;
  }
  return best;
}

}  // namespace kvarium
