#pragma once
// What the tests of the CPU reference share.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"
#include "tests/support/catch.h"

namespace kvarium_test {

using kvarium::TokenId;

/// Numbers in [-1, 1).
inline kvarium::cpu::Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::mt19937_64& draws) {
  return kvarium::cpu::Matrix::NullaryExpr(rows, columns,
                                           [&] { return static_cast<float>(draws() >> 40) * 0x1p-23F - 1.0F; });
}

inline std::vector<TokenId> random_tokens(std::size_t count, std::uint32_t vocab, std::uint64_t seed) {
  std::mt19937_64 draws(seed);
  std::vector<TokenId> tokens;
  while (tokens.size() < count) tokens.push_back(TokenId{static_cast<std::int32_t>(draws() % vocab)});
  return tokens;
}

/// The largest |a - b|; infinity when the sizes differ or a number is NaN.
inline float difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  float largest = 0.0F;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float apart = std::abs(a[i] - b[i]);
    if (std::isnan(apart)) return INFINITY;
    largest = std::max(largest, apart);
  }
  return largest;
}
inline float difference(const kvarium::cpu::Matrix& a, const kvarium::cpu::Matrix& b) {
  return difference(std::span(a.data(), static_cast<std::size_t>(a.size())),
                    std::span(b.data(), static_cast<std::size_t>(b.size())));
}

/// How far two computations of the same logits may lie apart that add the same products in another order.
/// A sum of n products errs by at most n u times the sum of their absolute values (u = 2^-24). For numbers of random
/// sign that sum is about sqrt(n) times the result, while the errors, of random sign too, reach about sqrt(n) u:
/// together n u times the result, and 2 n u between two orders. Such sums follow each other 4 times a layer (value,
/// output, up, down; with latent attention 5, for a value comes out of two) and once in the head; the norms between
/// them keep the size of the numbers. n is at most the widest matrix.
inline float reordering_tolerance(const kvarium::cpu::ModelConfig& config, std::span<const float> logits) {
  constexpr float kUnit = 0x1p-24F;
  const std::uint32_t widest = std::max({config.shape.hidden, config.ffn_hidden, config.query_width()});
  const std::uint32_t depth = (config.latent() ? 5 : 4) * config.shape.layers + 1;
  float largest = 0.0F;
  for (const float logit : logits) largest = std::max(largest, std::abs(logit));
  return 2.0F * static_cast<float>(widest) * kUnit * static_cast<float>(depth) * largest;
}

/// The index of the largest number, the lowest of equals.
inline TokenId largest(std::span<const float> logits) {
  return TokenId{static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin())};
}

}  // namespace kvarium_test
