#pragma once
// The whole model once more as plain loops in double, without Eigen, without a cache: so simple that it is either right
// or plainly wrong. It catches what the paths of the transformer, which share their operators, cannot see of each
// other.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/model/weights.h"

namespace kvarium_test {

class PlainLlama {
 public:
  explicit PlainLlama(const kvarium::cpu::Model& model) : config_(model.config), weights_(model.weights) {}

  /// Logits of the last token: [vocab].
  std::vector<double> logits(std::span<const kvarium::TokenId> tokens) const {
    std::vector<Row> x;
    for (const kvarium::TokenId token : tokens) x.push_back(row(weights_.embedding, kvarium::value(token)));
    for (const auto& layer : weights_.layers) {
      std::vector<Row> q, k, v;
      for (std::size_t t = 0; t < x.size(); ++t) {
        const Row n = norm(x[t], layer.attention_norm);
        q.push_back(rotated(times(layer.query, n), t));
        k.push_back(rotated(times(layer.key, n), t));
        v.push_back(times(layer.value, n));
      }
      for (std::size_t t = 0; t < x.size(); ++t) add(x[t], times(layer.output, attend(q[t], k, v, t)));
      for (Row& token : x) {
        const Row n = norm(token, layer.ffn_norm);
        Row inner = times(layer.gate, n);
        const Row up = times(layer.up, n);
        for (std::size_t i = 0; i < inner.size(); ++i) inner[i] = inner[i] / (1.0 + std::exp(-inner[i])) * up[i];
        add(token, times(layer.down, inner));
      }
    }
    return times(weights_.head, norm(x.back(), weights_.final_norm));
  }

 private:
  using Row = std::vector<double>;

  static Row row(const kvarium::cpu::WeightMatrix& matrix, Eigen::Index r) {
    Row numbers;
    const auto weight = matrix.f32();
    for (Eigen::Index c = 0; c < weight.cols(); ++c) numbers.push_back(double{weight(r, c)});
    return numbers;
  }
  static Row times(const kvarium::cpu::WeightMatrix& matrix, const Row& x) {
    const auto weight = matrix.f32();
    Row y(static_cast<std::size_t>(weight.rows()));
    for (std::size_t r = 0; r < y.size(); ++r) {
      for (std::size_t c = 0; c < x.size(); ++c) {
        y[r] += double{weight(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c))} * x[c];
      }
    }
    return y;
  }
  static void add(Row& x, const Row& more) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
  }
  Row norm(const Row& x, const kvarium::cpu::Vector& weight) const {
    double squares = 0.0;
    for (const double number : x) squares += number * number;
    const double root = std::sqrt(squares / static_cast<double>(x.size()) + double{config_.norm_epsilon});
    Row y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] / root * double{weight(static_cast<Eigen::Index>(i))});
    return y;
  }
  Row rotated(const Row& x, std::size_t position) const {
    Row y = x;
    const std::size_t dim = config_.shape.head_dim;
    for (std::size_t head = 0; head < x.size(); head += dim) {
      for (std::size_t i = 0; i < dim / 2; ++i) {
        const bool interleaved = config_.rope_pairs == kvarium::cpu::RopePairs::interleaved;
        const std::size_t a = head + (interleaved ? 2 * i : i), b = head + (interleaved ? 2 * i + 1 : i + dim / 2);
        const double angle =
            static_cast<double>(position) /
            std::pow(double{config_.rope_theta}, static_cast<double>(2 * i) / static_cast<double>(dim));
        y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
        y[b] = x[a] * std::sin(angle) + x[b] * std::cos(angle);
      }
    }
    return y;
  }
  Row attend(const Row& q, const std::vector<Row>& k, const std::vector<Row>& v, std::size_t position) const {
    const std::size_t dim = config_.shape.head_dim, group = config_.shape.query_heads / config_.shape.kv_heads;
    Row out(q.size());
    for (std::size_t h = 0; h < config_.shape.query_heads; ++h) {
      const std::size_t from = h / group * dim;
      Row share;
      double sum = 0.0;
      for (std::size_t j = 0; j <= position; ++j) {
        double score = 0.0;
        for (std::size_t i = 0; i < dim; ++i) score += q[h * dim + i] * k[j][from + i];
        share.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
        sum += share.back();
      }
      for (std::size_t j = 0; j <= position; ++j) {
        for (std::size_t i = 0; i < dim; ++i) out[h * dim + i] += share[j] / sum * v[j][from + i];
      }
    }
    return out;
  }

  const kvarium::cpu::ModelConfig& config_;
  const kvarium::cpu::Weights& weights_;
};

}  // namespace kvarium_test
