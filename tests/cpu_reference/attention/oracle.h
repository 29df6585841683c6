#pragma once
// Attention as plain loops in double, straight from the equation: what every attention is compared with.

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "cpu_reference/attention/heads.h"
#include "tests/cpu_reference/support.h"

namespace kvarium_test {

using kvarium::cpu::Heads;
using kvarium::cpu::Index;
using kvarium::cpu::Matrix;
using Doubles = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One query's attention: sum_j softmax(scores)[j] values[j], and log sum_j exp(scores[j]).
struct Attended {
  std::vector<double> out;  ///< [dim]
  double lse = -std::numeric_limits<double>::infinity();
};

/// scores[j] = -infinity: masked. All masked: zeros, and an lse of -infinity.
inline Attended attended(const std::vector<double>& scores, const Doubles& values) {
  Attended result;
  result.out.assign(static_cast<std::size_t>(values.cols()), 0.0);
  double highest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) highest = std::max(highest, score);
  if (std::isinf(highest)) return result;
  double sum = 0.0;
  for (const double score : scores) sum += std::exp(score - highest);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (std::isinf(scores[j])) continue;
    for (std::size_t i = 0; i < result.out.size(); ++i) {
      const double value = values(static_cast<Index>(j), static_cast<Index>(i));
      result.out[i] += std::exp(scores[j] - highest) / sum * value;
    }
  }
  result.lse = highest + std::log(sum);
  return result;
}

/// May query i see key j?
using Mask = std::function<bool(Index i, Index j)>;
inline Mask causal(Index first_position = 0) {
  return [=](Index i, Index j) { return j <= first_position + i; };
}
inline Mask sliding(Index window, Index first_position = 0) {
  return [=](Index i, Index j) { return j <= first_position + i && j > first_position + i - window; };
}

struct OracleResult {
  Doubles out;  ///< [queries][query_heads * head_dim]
  Doubles lse;  ///< [queries][query_heads], natural logarithm
};

inline OracleResult attention_oracle(const Matrix& queries,  // [queries][query_heads * head_dim]
                                     const Matrix& keys,     // [keys][kv_heads * head_dim]
                                     const Matrix& values,   // [keys][kv_heads * head_dim]
                                     const Heads& heads, const Mask& sees) {
  const Index dim = heads.head_dim;
  OracleResult result{Doubles(queries.rows(), queries.cols()), Doubles(queries.rows(), heads.query_heads)};
  for (Index i = 0; i < queries.rows(); ++i) {
    for (std::uint32_t h = 0; h < heads.query_heads; ++h) {
      const Index from = Index{heads.kv_head_of(h)} * dim;
      std::vector<double> scores;
      for (Index j = 0; j < keys.rows(); ++j) {
        double score = 0.0;
        for (Index c = 0; c < dim; ++c) score += double{queries(i, Index{h} * dim + c)} * double{keys(j, from + c)};
        scores.push_back(sees(i, j) ? score / std::sqrt(static_cast<double>(dim))
                                    : -std::numeric_limits<double>::infinity());
      }
      const Attended one = attended(scores, values.middleCols(from, dim).cast<double>());
      for (Index c = 0; c < dim; ++c) result.out(i, Index{h} * dim + c) = one.out[static_cast<std::size_t>(c)];
      result.lse(i, h) = one.lse;
    }
  }
  return result;
}

/// The largest |a - b|; infinity when the shapes differ or a number is NaN.
inline double apart(const Matrix& a, const Doubles& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double largest = 0.0;
  for (Index i = 0; i < a.size(); ++i) {
    const double distance = std::abs(double{a.data()[i]} - b.data()[i]);
    if (std::isnan(distance)) return INFINITY;
    largest = std::max(largest, distance);
  }
  return largest;
}

/// How far float attention may lie from the equation, for queries, keys and values below `q`, `k` and `v` and `keys`
/// visible keys. With u = 2^-24: a score is a sum of dim products below q k, divided by sqrt(dim): it errs by at most
/// dim u * q k sqrt(dim). A weight is exp(score): it errs by that share, by 2 u for exp itself and by 2 u for each of
/// the rescalings, of which a sum over `keys` scores has at most `keys`; the division by their sum doubles it. The sum
/// of values adds keys u of its own. All of it times v, the largest result.
inline double attention_tolerance(Index dim, Index keys, double q = 1.0, double k = 1.0, double v = 1.0) {
  constexpr double kUnit = 0x1p-24;
  const auto d = static_cast<double>(dim), n = static_cast<double>(keys);
  return kUnit * v * (2.0 * d * std::sqrt(d) * q * k + 4.0 + 3.0 * n);
}

}  // namespace kvarium_test
