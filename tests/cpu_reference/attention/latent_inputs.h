#pragma once
// Random weights of latent attention, and how far two computations with them may lie apart.

#include <cmath>
#include <random>

#include "cpu_reference/attention/latent.h"
#include "tests/cpu_reference/support.h"

namespace kvarium_test {

inline constexpr float kLatentTheta = 10000.0F;

/// DeepSeek-V2 has a hidden width of 5120, 128 heads of 128 + 64, a latent of 512: here a sixteenth of the widths, and
/// 4 heads.
inline constexpr kvarium::cpu::LatentShape kSmallV2{320, 4, 8, 4, 8, 32};

inline kvarium::cpu::LatentWeights random_latent_weights(const kvarium::cpu::LatentShape& shape,
                                                         std::mt19937_64& draws) {
  const auto narrow = [&](Eigen::Index rows, Eigen::Index columns) {
    return kvarium::cpu::Matrix(random_matrix(rows, columns, draws) / std::sqrt(static_cast<float>(columns)));
  };
  return {narrow(shape.heads * (shape.head_dim + shape.rotary_dim), shape.hidden),
          narrow(shape.latent_dim, shape.hidden), narrow(shape.rotary_dim, shape.hidden),
          narrow(shape.heads * shape.head_dim, shape.latent_dim),
          narrow(shape.heads * shape.value_dim, shape.latent_dim)};
}

inline kvarium::cpu::LatentCache latent_cache_of(const kvarium::cpu::Matrix& hidden,
                                                 const kvarium::cpu::LatentShape& shape,
                                                 const kvarium::cpu::LatentWeights& weights) {
  kvarium::cpu::LatentCache cache(shape, kLatentTheta, kvarium::cpu::RopePairs::interleaved);
  kvarium::Work work;
  cache.append(hidden, weights, work);
  return cache;
}

/// Numbers below 1 go through two products, of `hidden` and of latent_dim terms of which each sum stays near 1, before
/// they are a key or a value: each number errs by that many roundings at most, a score by twice as much for each of its
/// numbers, a weight as its score, the result as weight and value.
inline double latent_tolerance(const kvarium::cpu::LatentShape& shape) {
  const auto products = static_cast<double>(shape.hidden + shape.latent_dim);
  const auto width = std::sqrt(static_cast<double>(shape.head_dim + shape.rotary_dim));
  return 0x1p-24 * products * (2 * width + 2);
}

}  // namespace kvarium_test
