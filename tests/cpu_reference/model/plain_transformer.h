#pragma once
// The whole model once more as plain loops in double, without Eigen's products, without a cache: so simple that it is
// either right or plainly wrong. It catches what the paths of the transformer, which share their operators, cannot see
// of each other.

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/model/weights.h"

namespace kvarium_test {

class PlainTransformer {
 public:
  explicit PlainTransformer(const kvarium::cpu::Model& model) : config_(model.config), weights_(model.weights) {}

  /// Logits of the last token: [vocab].
  std::vector<double> logits(std::span<const kvarium::TokenId> tokens) const {
    std::vector<Row> x;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      x.push_back(row(weights_.embedding, kvarium::value(tokens[t])));
      if (config_.positions == kvarium::cpu::Positions::learned) {
        add(x[t], row(weights_.position_embedding, static_cast<Eigen::Index>(t)));
      }
    }
    for (const auto& layer : weights_.layers) {
      std::vector<Row> q, k, v;
      for (std::size_t t = 0; t < x.size(); ++t) {
        const Row n = norm(x[t], layer.attention_norm, layer.attention_norm_bias);
        q.push_back(rotated(head_norms(affine(layer.query, n, layer.query_bias), layer.query_norm), t));
        if (config_.latent()) {
          add_unpacked(layer, n, t, k, v);
          continue;
        }
        k.push_back(rotated(head_norms(affine(layer.key, n, layer.key_bias), layer.key_norm), t));
        v.push_back(affine(layer.value, n, layer.value_bias));
      }
      for (std::size_t t = 0; t < x.size(); ++t) {
        add(x[t], affine(layer.output, attend(q[t], k, v, t), layer.output_bias));
        add(x[t], feed_forward(layer, norm(x[t], layer.ffn_norm, layer.ffn_norm_bias)));
      }
    }
    return affine(weights_.head, norm(x.back(), weights_.final_norm, weights_.final_norm_bias), {});
  }

 private:
  using Row = std::vector<double>;

  static double at(const kvarium::cpu::Vector& vector, std::size_t i) {
    return double{vector(static_cast<Eigen::Index>(i))};
  }
  static Row row(const kvarium::cpu::WeightMatrix& matrix, Eigen::Index r) {
    Row numbers;
    const auto weight = matrix.f32();
    for (Eigen::Index c = 0; c < weight.cols(); ++c) numbers.push_back(double{weight(r, c)});
    return numbers;
  }
  static Row affine(const kvarium::cpu::WeightMatrix& matrix, const Row& x, const kvarium::cpu::Vector& bias) {
    const auto weight = matrix.f32();
    Row y(static_cast<std::size_t>(weight.rows()));
    for (std::size_t r = 0; r < y.size(); ++r) {
      for (std::size_t c = 0; c < x.size(); ++c) {
        y[r] += double{weight(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c))} * x[c];
      }
      if (bias.size() > 0) y[r] += at(bias, r);
    }
    return y;
  }
  static void add(Row& x, const Row& more) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
  }
  /// (x - mean) / root of the mean square around it; RMSNorm takes 0 for the mean.
  static Row standardised(const Row& x, bool around_mean, float epsilon) {
    const auto count = static_cast<double>(x.size());
    double mean = 0.0, squares = 0.0;
    for (const double number : x) mean += around_mean ? number / count : 0.0;
    for (const double number : x) squares += (number - mean) * (number - mean);
    Row y;
    for (const double number : x) y.push_back((number - mean) / std::sqrt(squares / count + double{epsilon}));
    return y;
  }
  Row norm(const Row& x, const kvarium::cpu::Vector& weight, const kvarium::cpu::Vector& bias) const {
    Row y = standardised(x, config_.norm == kvarium::cpu::NormKind::layer, config_.norm_epsilon);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] * at(weight, i) + (bias.size() > 0 ? at(bias, i) : 0.0);
    return y;
  }
  Row head_norms(const Row& x, const kvarium::cpu::Vector& weight) const {
    if (weight.size() == 0) return x;
    const auto dim = static_cast<std::ptrdiff_t>(config_.shape.head_dim);
    Row y;
    for (auto head = x.begin(); head != x.end(); head += dim) {
      const Row one = standardised(Row(head, head + dim), false, config_.norm_epsilon);
      for (std::size_t i = 0; i < one.size(); ++i) y.push_back(one[i] * at(weight, i));
    }
    return y;
  }
  double frequency(std::size_t pair) const {
    const auto exponent = static_cast<double>(2 * pair) / static_cast<double>(config_.rotated_width());
    double f = 1.0 / std::pow(double{config_.rope_theta}, exponent);
    if (!config_.rope_freq_factors.empty()) f /= double{config_.rope_freq_factors[pair]};
    const auto& scaling = config_.rope_scaling;
    using Kind = kvarium::cpu::RopeScaling::Kind;
    if (scaling.kind == Kind::none) return f;
    if (scaling.kind == Kind::linear) return f / double{scaling.factor};
    const double wavelength = 2.0 * std::numbers::pi / f, context = scaling.original_context;
    if (wavelength < context / double{scaling.high_freq_factor}) return f;
    if (wavelength > context / double{scaling.low_freq_factor}) return f / double{scaling.factor};
    const double smooth = (context / wavelength - double{scaling.low_freq_factor}) /
                          (double{scaling.high_freq_factor} - double{scaling.low_freq_factor});
    return (1.0 - smooth) * f / double{scaling.factor} + smooth * f;
  }
  Row rotated(const Row& x, std::size_t position) const {
    if (config_.positions == kvarium::cpu::Positions::learned) return x;
    Row y = x;
    const std::size_t turned = config_.rotated_width();
    // With latent attention the last numbers of a head are turned, else the first.
    const std::size_t begin = config_.latent() ? config_.shape.head_dim : 0;
    for (std::size_t head = begin; head < x.size(); head += config_.query_head_dim()) {
      for (std::size_t i = 0; i < turned / 2; ++i) {
        const bool interleaved = config_.rope_pairs == kvarium::cpu::RopePairs::interleaved;
        const std::size_t a = head + (interleaved ? 2 * i : i), b = head + (interleaved ? 2 * i + 1 : i + turned / 2);
        const double angle = static_cast<double>(position) * frequency(i);
        y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
        y[b] = x[a] * std::sin(angle) + x[b] * std::cos(angle);
      }
    }
    return y;
  }
  /// DeepSeek-V2, section 2.1: each head's key [W^UK_h c ; W^KR n] turned, its value W^UV_h c.
  void add_unpacked(const kvarium::cpu::LayerWeights& layer, const Row& n, std::size_t position, std::vector<Row>& k,
                    std::vector<Row>& v) const {
    const auto latent_dim = static_cast<std::ptrdiff_t>(config_.shape.latent_dim);
    const Row down = affine(layer.latent_down, n, {});
    Row c = standardised(Row(down.begin(), down.begin() + latent_dim), false, config_.latent_norm_epsilon);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] *= at(layer.latent_norm, i);
    const Row up = affine(layer.latent_up, c, {});
    Row keys, values;
    for (auto next = up.begin(); next != up.end();) {
      keys.insert(keys.end(), next, next + config_.shape.head_dim);
      keys.insert(keys.end(), down.begin() + latent_dim, down.end());
      next += config_.shape.head_dim;
      values.insert(values.end(), next, next + config_.value_head_dim());
      next += config_.value_head_dim();
    }
    k.push_back(rotated(keys, position));
    v.push_back(values);
  }
  Row attend(const Row& q, const std::vector<Row>& k, const std::vector<Row>& v, std::size_t position) const {
    const std::size_t dim = config_.query_head_dim(), value_dim = config_.value_head_dim();
    const std::size_t group = config_.shape.query_heads / config_.shape.kv_heads;
    const std::size_t window = config_.sliding_window;
    const std::size_t first = window == 0 || position < window ? 0 : position + 1 - window;
    Row out(config_.attended_width());
    for (std::size_t h = 0; h < config_.shape.query_heads; ++h) {
      const std::size_t from = h / group * dim, value_from = h / group * value_dim;
      Row share(position + 1);
      double sum = 0.0;
      for (std::size_t j = first; j <= position; ++j) {
        double score = 0.0;
        for (std::size_t i = 0; i < dim; ++i) score += q[h * dim + i] * k[j][from + i];
        share[j] = std::exp(score / std::sqrt(static_cast<double>(dim)));
        sum += share[j];
      }
      for (std::size_t j = first; j <= position; ++j) {
        for (std::size_t i = 0; i < value_dim; ++i) out[h * value_dim + i] += share[j] / sum * v[j][value_from + i];
      }
    }
    return out;
  }
  Row feed_forward(const kvarium::cpu::LayerWeights& layer, const Row& n) const {
    Row inner = affine(layer.up, n, layer.up_bias);
    if (config_.feed_forward == kvarium::cpu::FeedForward::swiglu) {
      const Row gate = affine(layer.gate, n, {});
      for (std::size_t i = 0; i < inner.size(); ++i) inner[i] *= gate[i] / (1.0 + std::exp(-gate[i]));
    } else {
      for (double& u : inner) {
        u = u / 2.0 * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (u + 0.044715 * u * u * u)));
      }
    }
    return affine(layer.down, inner, layer.down_bias);
  }

  const kvarium::cpu::ModelConfig& config_;
  const kvarium::cpu::Weights& weights_;
};

}  // namespace kvarium_test
