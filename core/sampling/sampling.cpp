#include "core/sampling/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/error.h"

namespace kvarium {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest logit. MisuseError when there is none to choose: no logits, or one that is not a number.
float largest(std::span<const float> logits) {
  if (logits.empty()) throw MisuseError("there are no logits to choose a token from");
  float best = -kInfinity;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) throw MisuseError(fmt::format("the logit of token {} is not a number (NaN)", i));
    best = std::max(best, logits[i]);
  }
  return best;
}

// The tokens that top_k keeps, most likely first when order matters (top_p); lower ids first among equals.
std::vector<std::size_t> candidates(std::span<const float> logits, const SamplingParams& params) {
  std::vector<std::size_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), std::size_t{0});
  const auto likelier = [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  if (params.top_k > 0 && params.top_k < tokens.size()) {
    std::nth_element(tokens.begin(), tokens.begin() + params.top_k, tokens.end(), likelier);
    tokens.resize(params.top_k);
  }
  if (params.top_p < 1.0F) std::sort(tokens.begin(), tokens.end(), likelier);
  return tokens;
}

// exp((logit - largest) / temperature): at most 1, so nothing overflows however small the temperature is.
double weight(float logit, float best, float temperature) {
  if (logit == best) return 1.0;  // also when both are infinite, where the difference would be NaN
  return std::exp((static_cast<double>(logit) - static_cast<double>(best)) / static_cast<double>(temperature));
}

}  // namespace

void check(const SamplingParams& params) {
  // Written so that NaN, which compares false with everything, is refused too.
  if (!(params.temperature >= 0.0F && params.temperature < kInfinity)) {
    throw InputError(
        fmt::format("temperature is {}: it must be 0 (greedy) or a finite number above", params.temperature));
  }
  if (!(params.top_p > 0.0F && params.top_p <= 1.0F)) {
    throw InputError(fmt::format("top_p is {}: it must be above 0 and at most 1 (1 keeps all tokens)", params.top_p));
  }
}

TokenId argmax(std::span<const float> logits) {
  const float best = largest(logits);
  return TokenId{static_cast<std::int32_t>(std::find(logits.begin(), logits.end(), best) - logits.begin())};
}

std::vector<double> distribution(std::span<const float> logits, const SamplingParams& params) {
  check(params);
  if (params.temperature == 0.0F) throw MisuseError("temperature 0 is greedy: it has no distribution");
  const float best = largest(logits);
  if (best == -kInfinity) throw MisuseError("every logit is minus infinity: no token is possible");

  std::vector<double> probabilities(logits.size(), 0.0);
  std::vector<std::size_t> kept = candidates(logits, params);
  double total = 0.0;
  for (const std::size_t token : kept) total += probabilities[token] = weight(logits[token], best, params.temperature);

  if (params.top_p < 1.0F) {
    const double wanted = static_cast<double>(params.top_p) * total;
    double reached = 0.0;
    std::size_t count = 0;
    while (count < kept.size() && reached < wanted) reached += probabilities[kept[count++]];
    for (std::size_t i = count; i < kept.size(); ++i) probabilities[kept[i]] = 0.0;
    total = reached;
  }
  for (double& probability : probabilities) probability /= total;
  return probabilities;
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1.0p-53; }

TokenId draw(std::span<const double> probabilities, double u) {
  double reached = 0.0;
  std::optional<std::size_t> last_possible;
  for (std::size_t token = 0; token < probabilities.size(); ++token) {
    if (!(probabilities[token] > 0.0)) continue;
    last_possible = token;
    reached += probabilities[token];
    if (u < reached) break;
  }
  if (!last_possible) throw MisuseError("no token is possible: none has a probability above 0");
  return TokenId{static_cast<std::int32_t>(*last_possible)};
}

Sampler::Sampler(const SamplingParams& params) : params_(params), random_(params.seed) { check(params); }

TokenId Sampler::sample(std::span<const float> logits) {
  if (params_.temperature == 0.0F) return argmax(logits);
  return draw(distribution(logits, params_), uniform());
}

}  // namespace kvarium
