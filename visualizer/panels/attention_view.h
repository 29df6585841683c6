#pragma once
// What the parts of the Attention tab share in one frame.

#include <string>
#include <vector>

#include "visualizer/layout/probe_rows.h"
#include "visualizer/panels/attention_panel.h"

namespace kvarium::ui {

struct ProbeFrame {
  PanelContext& context;
  AttentionPanelState& state;
  const ProbeAnswer& answer;
  const layout::LayerProbe& probe;
  const RequestState& request;         ///< at the moment that is shown
  std::vector<layout::ProbeRow> rows;  ///< [its tokens at that moment]
  std::uint32_t extent = 0;            ///< rows and columns that are drawn: the tokens, rounded up
  std::string painted;                 ///< part of each texture's key: what all colours hang on

  /// The text of the token at a position that the request has at the moment; empty for others.
  std::string name(std::uint32_t position) const;
  layout::ProbeRow row(std::uint32_t position) const;
};

/// Lines at the left of a map: position, token, and what this step did.
void draw_row_labels(ProbeFrame& frame, Painter& painter, const layout::HeatMap& map, const layout::Rect& gutter);
/// Wheel zooms at the pointer, dragging moves.
void move_map(ProbeFrame& frame, const Canvas& canvas, const layout::HeatMap& map);
/// The lines that explain what is pointed at, at the bottom.
void draw_card(ProbeFrame& frame, Painter& painter, layout::Rect card, const std::vector<std::string>& lines);
/// The meaning of the marks beside rows.
void draw_row_key(ProbeFrame& frame, Painter& painter, layout::Rect line);

void draw_weights(ProbeFrame& frame);
void draw_keys_values(ProbeFrame& frame);

}  // namespace kvarium::ui
