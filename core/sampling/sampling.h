#pragma once
// From logits to the next token.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/ids.h"

namespace kvarium {

struct SamplingParams {
  float temperature = 0.0F;  ///< 0: greedy, the token with the largest logit
  std::uint32_t top_k = 0;   ///< keep the k most likely tokens; 0: all
  float top_p = 1.0F;        ///< keep the fewest most likely tokens that reach this probability together
  std::uint64_t seed = 0;
};

/// InputError, naming the parameter and its range, when one is out of range or NaN.
void check(const SamplingParams& params);

/// The index of the largest logit; the lowest of equals. MisuseError when empty or when a logit is NaN.
TokenId argmax(std::span<const float> logits);

/// The distribution that is sampled from, after temperature, top-k and top-p, in this order: [vocab], sums to 1.
/// Temperature must be above 0.
std::vector<double> distribution(std::span<const float> logits, const SamplingParams& params);

/// 53 random bits as a number in [0, 1). Not std::uniform_real_distribution, which may differ between libraries.
double uniform(std::mt19937_64& random);

/// The token whose share of [0, 1) holds `u`, when the probabilities are laid out one behind the other. Never one whose
/// probability is 0; when rounding leaves the sum just below u, the last possible token. MisuseError when no token is
/// possible.
TokenId draw(std::span<const double> probabilities, double u);

/// One request's stream of random numbers: the same seed gives the same tokens, whatever else runs beside it.
class Sampler {
 public:
  explicit Sampler(const SamplingParams& params);
  TokenId sample(std::span<const float> logits);
  /// The next number of the stream, for whoever decides otherwise than sample() does.
  double uniform() { return kvarium::uniform(random_); }
  const SamplingParams& params() const { return params_; }

 private:
  SamplingParams params_;
  std::mt19937_64 random_;
};

}  // namespace kvarium
