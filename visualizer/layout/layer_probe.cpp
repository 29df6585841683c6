#include "visualizer/layout/layer_probe.h"

#include <algorithm>
#include <cmath>

#include "core/cost/head_kind.h"

namespace kvarium::ui::layout {
namespace {

constexpr float kOutlier = 3;  // times the median size

std::span<const float> row_of(const std::vector<float>& numbers, std::size_t row, std::size_t width) {
  return std::span<const float>(numbers).subspan(row * width, width);
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

std::span<const float> LayerProbe::weights(std::uint32_t head, std::uint32_t q) const {
  return std::span<const float>(attention[head]).subspan(triangle(q), std::size_t{q} + 1);
}

std::span<const float> LayerProbe::query(std::uint32_t q, std::uint32_t head) const {
  return row_of(queries, std::size_t{q} * shape.query_heads + head, shape.head_dim);
}

std::span<const float> LayerProbe::key(std::uint32_t position, std::uint32_t kv_head) const {
  return row_of(keys, std::size_t{position} * shape.kv_heads + kv_head, shape.head_dim);
}

std::span<const float> LayerProbe::value(std::uint32_t position, std::uint32_t kv_head) const {
  if (latent_dim > 0) return key(position, kv_head).first(latent_dim);
  return row_of(values, std::size_t{position} * shape.kv_heads + kv_head, shape.head_dim);
}

WeightFormula weight_formula(const LayerProbe& probe, std::uint32_t head, std::uint32_t q, std::uint32_t k) {
  const std::uint32_t kv_head = kv_head_of(probe.shape, head);
  const std::span<const float> query = probe.query(q, head), weights = probe.weights(head, q);
  const double scale = 1 / std::sqrt(static_cast<double>(probe.scored()));
  WeightFormula formula;
  formula.product = dot(query, probe.key(k, kv_head));
  formula.score = formula.largest = formula.product * scale;
  std::vector<double> scores;
  for (std::uint32_t j = 0; j <= q; ++j) {
    if (weights[j] <= 0 && j != k) continue;
    scores.push_back(dot(query, probe.key(j, kv_head)) * scale);
    formula.largest = std::max(formula.largest, scores.back());
  }
  for (const double score : scores) formula.sum += std::exp(score - formula.largest);
  formula.weight = std::exp(formula.score - formula.largest) / formula.sum;
  return formula;
}

std::uint32_t num_channels(const LayerProbe& probe, KvPart part) {
  return part == KvPart::keys ? probe.shape.head_dim : probe.value_dim();
}

std::span<const float> kv_row(const LayerProbe& probe, KvPart part, std::uint32_t position, std::uint32_t kv_head) {
  return part == KvPart::keys ? probe.key(position, kv_head) : probe.value(position, kv_head);
}

float ChannelNumbers::size() const { return std::max(std::abs(low), std::abs(high)); }

std::vector<ChannelNumbers> channel_numbers(const LayerProbe& probe, KvPart part, std::uint32_t kv_head,
                                            std::uint32_t positions) {
  std::vector<ChannelNumbers> channels(num_channels(probe, part));
  for (std::uint32_t c = 0; c < channels.size() && positions > 0; ++c) {
    ChannelNumbers& channel = channels[c];
    channel.low = channel.high = kv_row(probe, part, 0, kv_head)[c];
    double sum = 0;
    for (std::uint32_t p = 0; p < positions; ++p) {
      const float number = kv_row(probe, part, p, kv_head)[c];
      channel.low = std::min(channel.low, number);
      channel.high = std::max(channel.high, number);
      sum += static_cast<double>(number);
    }
    channel.mean = static_cast<float>(sum / positions);
  }
  return channels;
}

std::vector<std::uint32_t> outlier_channels(const std::vector<ChannelNumbers>& channels) {
  std::vector<float> sizes;
  for (const ChannelNumbers& channel : channels) sizes.push_back(channel.size());
  if (sizes.empty()) return {};
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  std::vector<std::uint32_t> outliers;
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    if (channels[c].size() > kOutlier * *middle) outliers.push_back(c);
  }
  return outliers;
}

}  // namespace kvarium::ui::layout
