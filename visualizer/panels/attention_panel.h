#pragma once
// The Attention tab: what each token of a request looks at, head by head, and the K and V that it finds there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/draw/heat_texture.h"
#include "visualizer/layout/heat_map.h"
#include "visualizer/panels/probe_answer.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

enum class ProbeView : std::uint8_t { weights, keys_values };

/// Numbers of the K and V that are drawn, kept while they stay the same.
struct KvFigures {
  std::string key;
  std::vector<layout::ChannelNumbers> channels[2];  ///< of K, of V
  std::vector<std::uint32_t> outliers[2];
  float largest[2] = {0, 0};  ///< absolute value: the end of the colour scale
};

struct AttentionPanelState {
  ProbeView view = ProbeView::weights;
  bool as_text = false;
  bool linear = false;  ///< colours in proportion to the weight; else to its square root, which shows small ones
  std::uint32_t layer = 0, head = 0;
  layout::HeatView look;
  std::optional<layout::HeatCell> cursor;  ///< the cell that is explained while none is pointed at
  bool reveal_cursor = false;
  HeatTexture map, keys, values;
  std::vector<HeatTexture> heads;
  KvFigures figures;

  void forget() { *this = {}; }  ///< for another run
  // What the keys do. All stay within the model.
  void move_layer(const ModelShape& shape, int by);
  void move_head(const ModelShape& shape, int by);
  void move_cursor(int rows, int columns);
  void change_view() { view = view == ProbeView::weights ? ProbeView::keys_values : ProbeView::weights; }
  void zoom(float factor) { look.zoom = std::clamp(look.zoom * factor, 1.0F, 64.0F); }
};

/// Whose attention is shown: the selected request, else the first that has computed something.
std::optional<RequestId> probed_request(const World& world, const Target& selected);

void draw_attention_panel(PanelContext& context, AttentionPanelState& state, const ProbeAnswer& answer,
                          const layout::Rect& dock);

}  // namespace kvarium::ui
