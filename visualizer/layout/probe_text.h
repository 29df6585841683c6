#pragma once
// The heat maps of the Attention tab as text: to copy, to search, to be read aloud.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "visualizer/layout/heat_map.h"
#include "visualizer/layout/layer_probe.h"
#include "visualizer/layout/probe_rows.h"

namespace kvarium::ui::layout {

/// A line a row that is computed: the token and what it looks at most, with weights in percent. `names`: what each
/// position's token is called.
std::string attention_text(const LayerProbe& probe, std::uint32_t head, std::span<const ProbeRow> rows,
                           std::span<const std::string> names);

/// How the weight of token q for position k comes about, the numbers put in: two lines. Position k is not after q.
std::vector<std::string> weight_lines(const LayerProbe& probe, std::uint32_t head, HeatCell cell,
                                      const std::string& q_name, const std::string& k_name);

/// "K of KV head 0"; with latent attention which part of the row it is.
std::string kv_title(const LayerProbe& probe, KvPart part, std::uint32_t kv_head);

/// A line a channel: smallest, mean and largest number of K and of V over positions [0, positions).
std::string kv_text(const LayerProbe& probe, std::uint32_t kv_head, std::uint32_t positions);

}  // namespace kvarium::ui::layout
