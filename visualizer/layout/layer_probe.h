#pragma once
// What one layer computed for one request, as numbers to draw: queries, keys, values and attention weights.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/model_shape.h"

namespace kvarium::ui::layout {

/// Positions [0, tokens.size()) of one request in one layer.
struct LayerProbe {
  ModelShape shape;              ///< as_read(): with latent attention one KV head, whose K is the cached row
  std::uint32_t latent_dim = 0;  ///< with latent attention so many numbers of a row are its V; 0: V is apart
  std::uint32_t score_dim = 0;   ///< a score is q.k / sqrt(score_dim); 0: head_dim
  std::uint32_t layer = 0;
  std::vector<TokenId> tokens;
  std::vector<float> queries;  ///< [tokens][query_heads][head_dim], rotated
  std::vector<float> keys;     ///< [tokens][kv_heads][head_dim], as they lie in the cache
  std::vector<float> values;   ///< [tokens][kv_heads][head_dim]; none with latent attention
  /// [query_heads], each a triangle: row q has q + 1 weights, for positions 0 to q, and adds up to 1.
  std::vector<std::vector<float>> attention;

  std::uint32_t value_dim() const { return latent_dim == 0 ? shape.head_dim : latent_dim; }
  std::uint32_t scored() const { return score_dim == 0 ? shape.head_dim : score_dim; }
  std::uint32_t num_tokens() const { return static_cast<std::uint32_t>(tokens.size()); }
  /// [q + 1]: how much token q looks at each position up to its own.
  std::span<const float> weights(std::uint32_t head, std::uint32_t q) const;
  std::span<const float> query(std::uint32_t q, std::uint32_t head) const;            ///< [head_dim]
  std::span<const float> key(std::uint32_t position, std::uint32_t kv_head) const;    ///< [head_dim]
  std::span<const float> value(std::uint32_t position, std::uint32_t kv_head) const;  ///< [value_dim]
};

/// Numbers in a triangle of `rows` rows, which is where row `rows` begins.
constexpr std::size_t triangle(std::size_t rows) { return rows * (rows + 1) / 2; }

/// weight = exp(score - largest) / sum, score = q.k / sqrt(scored()), computed from the queries and keys.
struct WeightFormula {
  double product = 0;  ///< q.k
  double score = 0;
  double largest = 0;  ///< of the row's scores
  double sum = 0;      ///< of exp(score - largest) over the row
  double weight = 0;
};
/// Of token q and position k <= q. Positions with weight 0 are not looked at (outside a sliding window) and not summed.
WeightFormula weight_formula(const LayerProbe& probe, std::uint32_t head, std::uint32_t q, std::uint32_t k);

enum class KvPart : std::uint8_t { keys, values };
/// Numbers in a row of K or V.
std::uint32_t num_channels(const LayerProbe& probe, KvPart part);
/// The row of K or V of a position: [num_channels].
std::span<const float> kv_row(const LayerProbe& probe, KvPart part, std::uint32_t position, std::uint32_t kv_head);

/// One channel of K or V over positions.
struct ChannelNumbers {
  float low = 0, mean = 0, high = 0;
  float size() const;  ///< the largest absolute value
};
/// [num_channels], over positions [0, positions).
std::vector<ChannelNumbers> channel_numbers(const LayerProbe& probe, KvPart part, std::uint32_t kv_head,
                                            std::uint32_t positions);
/// Channels more than three times as large as the middle one (the median of their sizes), in order.
std::vector<std::uint32_t> outlier_channels(const std::vector<ChannelNumbers>& channels);

}  // namespace kvarium::ui::layout
