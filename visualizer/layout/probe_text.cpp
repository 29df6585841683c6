#include "visualizer/layout/probe_text.h"

#include <algorithm>

#include "core/cost/head_kind.h"
#include "core/words/words.h"

namespace kvarium::ui::layout {
namespace {

constexpr std::size_t kMostNamed = 5;  // positions that a line names

/// Positions by weight, the largest first.
std::vector<std::uint32_t> most_looked_at(std::span<const float> weights) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t k = 0; k < weights.size(); ++k) positions.push_back(k);
  const std::size_t named = std::min(kMostNamed, positions.size());
  std::partial_sort(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(named), positions.end(),
                    [weights](std::uint32_t a, std::uint32_t b) {
                      return weights[a] > weights[b] || (weights[a] == weights[b] && a < b);
                    });
  positions.resize(named);
  return positions;
}

std::string attention_line(const LayerProbe& probe, std::uint32_t head, std::uint32_t q, ProbeRow state,
                           std::span<const std::string> names) {
  const std::span<const float> weights = probe.weights(head, q);
  std::string line = fmt::format("{:>5} {:<14}", q, "\"" + names[q] + "\"");
  for (const std::uint32_t k : most_looked_at(weights)) {
    line += fmt::format("  {} \"{}\" {:.1f} %", k, names[k], 100 * static_cast<double>(weights[k]));
  }
  if (state == ProbeRow::found) line += "  " + std::string(tr("(K and V were there already)"));
  if (state == ProbeRow::fresh) line += "  " + std::string(tr("(computed in this step)"));
  return line + "\n";
}

std::string channel_lines(const LayerProbe& probe, KvPart part, std::uint32_t kv_head, std::uint32_t positions) {
  const std::vector<ChannelNumbers> channels = channel_numbers(probe, part, kv_head, positions);
  const std::vector<std::uint32_t> outliers = outlier_channels(channels);
  std::string text =
      probe.latent_dim > 0
          ? tr_format("{} of layer {}, positions 0 to {}", kv_title(probe, part, kv_head), probe.layer, positions - 1)
          : tr_format("{} of layer {}, KV head {}, positions 0 to {}", part == KvPart::keys ? "K" : "V", probe.layer,
                      kv_head, positions - 1);
  text += "\n" + fmt::format("{:>8} {:>10} {:>10} {:>10}\n", tr("channel"), tr("min"), tr("mean"), tr("max"));
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    text += fmt::format("{:>8} {:>10.4f} {:>10.4f} {:>10.4f}", c, channels[c].low, channels[c].mean, channels[c].high);
    if (std::find(outliers.begin(), outliers.end(), c) != outliers.end())
      text += "  " + std::string(tr("stands out: more than 3 times the middle channel"));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string kv_title(const LayerProbe& probe, KvPart part, std::uint32_t kv_head) {
  if (probe.latent_dim == 0) return tr_format("{} of KV head {}", part == KvPart::keys ? "K" : "V", kv_head);
  if (part == KvPart::keys) return std::string(tr("latent row and rotated key, K of all heads"));
  return std::string(tr("latent row, V of all heads"));
}

std::string attention_text(const LayerProbe& probe, std::uint32_t head, std::span<const ProbeRow> rows,
                           std::span<const std::string> names) {
  const std::string read = probe.latent_dim > 0 ? std::string(tr("the latent rows"))
                                                : tr_format("KV head {}", kv_head_of(probe.shape, head));
  std::string text = tr_format(
      "Attention of layer {}, query head {} (reads {}); each token and what it looks "
      "at most:",
      probe.layer, head, read);
  text += "\n";
  for (std::uint32_t q = 0; q < std::min<std::size_t>(rows.size(), probe.num_tokens()); ++q) {
    if (rows[q] != ProbeRow::waiting) text += attention_line(probe, head, q, rows[q], names);
  }
  return text;
}

std::vector<std::string> weight_lines(const LayerProbe& probe, std::uint32_t head, HeatCell cell,
                                      const std::string& q_name, const std::string& k_name) {
  const std::uint32_t q = cell.row, k = cell.column;
  const auto weight = static_cast<double>(probe.weights(head, q)[k]);
  const WeightFormula formula = weight_formula(probe, head, q, k);
  std::vector<std::string> lines{tr_format("token {} \"{}\" looks at {} \"{}\" with weight {:.4f} ({:.1f} %)", q,
                                           q_name, k, k_name, weight, 100 * weight)};
  if (weight <= 0) {
    lines.push_back(std::string(tr("weight 0: too far away to be looked at, or too small for a number")));
    return lines;
  }
  lines.push_back(
      tr_format("q{0} · k{1} = {2:.3f};  / sqrt({3}) = {4:.3f};  exp({4:.3f} - {5:.3f}) / {6:.3f} = {7:.4f}", q, k,
                formula.product, probe.scored(), formula.score, formula.largest, formula.sum, formula.weight));
  return lines;
}

std::string kv_text(const LayerProbe& probe, std::uint32_t kv_head, std::uint32_t positions) {
  positions = std::min(positions, probe.num_tokens());
  if (positions == 0) return std::string(tr("No K and V at this moment.")) + "\n";
  return channel_lines(probe, KvPart::keys, kv_head, positions) + "\n" +
         channel_lines(probe, KvPart::values, kv_head, positions);
}

}  // namespace kvarium::ui::layout
