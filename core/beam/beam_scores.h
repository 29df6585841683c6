#pragma once
// Which continuations of which beams are the best: pure functions on logits.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// log softmax: [vocab], each at most 0. MisuseError when empty or when a logit is NaN.
std::vector<double> log_probabilities(std::span<const float> logits);

/// A beam's score: log_probability / num_tokens^length_penalty. log_probability is a sum, so that longer answers have
/// lower ones; a penalty above 0 makes up for it (Wu et al. 2016, equation 14, in its simpler form). num_tokens >= 1.
double beam_score(double log_probability, std::size_t num_tokens, double length_penalty);

/// One more token for one beam.
struct Continuation {
  std::size_t beam = 0;  ///< which beam it goes on
  TokenId token{};
  double log_probability = 0;  ///< of the whole answer with it
  bool operator==(const Continuation&) const = default;
};

/// The `most` likeliest continuations of one beam, whose answer so far has `log_probability`. Of equals the lowest
/// token first.
std::vector<Continuation> continuations(std::size_t beam, double log_probability, std::span<const double> next,
                                        std::size_t most);
/// The `most` likeliest of all, whatever beam they come from and however many each beam offers. Of equals the lower
/// beam, then the lower token first.
std::vector<Continuation> best_of(const std::vector<std::vector<Continuation>>& offered, std::size_t most);

}  // namespace kvarium
