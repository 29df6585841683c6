#include "visualizer/panels/attention_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/head_kind.h"
#include "core/words/words.h"
#include "visualizer/layout/probe_text.h"
#include "visualizer/layout/text_fit.h"
#include "visualizer/panels/attention_view.h"

namespace kvarium::ui {
namespace {

using layout::ProbeRow;
using layout::Rect;

std::vector<std::string> numbered(std::string_view name, std::uint32_t count) {
  std::vector<std::string> options;
  for (std::uint32_t i = 0; i < count; ++i) options.push_back(tr_format(name, i));
  return options;
}

void choose(PanelContext& context, std::string_view id, std::string_view name, std::uint32_t count,
            std::uint32_t& chosen, const Look& look) {
  int number = static_cast<int>(chosen);
  if (combo(context.ui, id, "", number, numbered(name, count), look)) chosen = static_cast<std::uint32_t>(number);
  ImGui::SameLine();
}

void draw_head_choice(PanelContext& context, AttentionPanelState& state, const ModelShape& shape) {
  choose(context, "probe_layer", "layer {}", shape.layers, state.layer,
         {.tooltip = "Which layer of the model", .shortcut = "layer_next", .width = 96});
  if (state.view == ProbeView::weights) {
    return choose(context, "probe_head", "head {}", shape.query_heads, state.head,
                  {.tooltip = "Which query head", .shortcut = "head_next", .width = 92});
  }
  if (shape.kv_kind == KvKind::latent) return;  // one row for all heads
  const std::uint32_t share = shape.query_heads / shape.kv_heads;
  std::uint32_t kv_head = state.head / share;
  choose(context, "probe_kv_head", "KV head {}", shape.kv_heads, kv_head,
         {.tooltip = "Which KV head", .shortcut = "head_next", .width = 108});
  if (kv_head != state.head / share) state.head = kv_head * share;
}

void draw_zoom(PanelContext& context, AttentionPanelState& state) {
  if (icon_button(context.ui, "map_smaller", Icon::minus, "Smaller cells", {.shortcut = "map_smaller"}))
    state.zoom(0.8F);
  ImGui::SameLine();
  if (icon_button(context.ui, "map_larger", Icon::plus, "Larger cells, until numbers fit", {.shortcut = "map_larger"}))
    state.zoom(1.25F);
  ImGui::SameLine();
  if (state.view != ProbeView::weights) return;
  checkbox(context.ui, "linear_colours", "Linear colours", state.linear,
           {.tooltip = "On: colour in proportion to the weight. Off: to its square root, which shows small weights."});
  ImGui::SameLine();
}

void draw_header(PanelContext& context, AttentionPanelState& state, const ModelShape& shape) {
  const bool weights = state.view == ProbeView::weights;
  if (button(
          context.ui, "view_weights", "Weights",
          {.tooltip = "How much each token looks at each position", .shortcut = "attention_view", .active = weights}))
    state.view = ProbeView::weights;
  ImGui::SameLine();
  if (button(context.ui, "view_kv", "K and V",
             {.tooltip = "The numbers in the cache", .shortcut = "attention_view", .active = !weights}))
    state.view = ProbeView::keys_values;
  ImGui::SameLine();
  draw_head_choice(context, state, shape);
  if (!state.as_text) draw_zoom(context, state);
  if (button(context.ui, "probe_text_button", state.as_text ? "As a picture" : "As text",
             {.tooltip = "The same as text, to read and to copy"}))
    state.as_text = !state.as_text;
}

/// Whose numbers these are, and that they were computed for this picture.
void draw_origin(PanelContext& context, const ProbeAnswer& answer, const RequestState& request, std::uint32_t shown) {
  std::string words = tr_format(
      "request {}: {} of {} rows at this step · computed again from the tokens by the same "
      "model ({})",
      letter(request.id), shown, answer.total, context.scene.world().model.name);
  if (answer.left_out > 0) words += tr_format(" · the last {} tokens are left out: too many", answer.left_out);
  if (answer.done < answer.total) words += tr_format(" · computing: {} of {} tokens", answer.done, answer.total);
  const WithFont small(context.ui.fonts(), FontRole::small);
  dim_text(context.ui, "probe_origin", words);
}

void draw_text(ProbeFrame& frame) {
  const AttentionPanelState& state = frame.state;
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < frame.rows.size(); ++p) names.push_back(frame.name(p));
  const std::string words = state.view == ProbeView::weights
                                ? layout::attention_text(frame.probe, state.head, frame.rows, names)
                                : layout::kv_text(frame.probe, kv_head_of(frame.probe.shape, state.head),
                                                  layout::kv_positions(frame.request));
  PanelContext& context = frame.context;
  if (button(context.ui, "copy_probe", "Copy", {.tooltip = "Copy this text"})) context.actions.copy(words);
  ImGui::BeginChild("probe_text_room", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  mono_text(context.ui, "probe_text", words);
  ImGui::EndChild();
}

void draw_waiting(PanelContext& context, const ProbeAnswer& answer) {
  switch (answer.state) {
    case ProbeAnswer::State::no_model: {
      const std::string words = tr_format(
          "Attention weights, K and V are not in a recording: they come from the model ({}) that made it, and it is "
          "not open here.\nOpen it with File > Open a model..., or run a scenario.",
          context.scene.world().model.name);
      return empty_state(context, "attention_no_model", words);
    }
    case ProbeAnswer::State::failed:
      return empty_state(context, "attention_failed", answer.error);
    case ProbeAnswer::State::working:
    case ProbeAnswer::State::ready:
      return empty_state(context, "attention_working",
                         tr_format("Computing layer by layer, from the tokens: {} of {}", answer.done, answer.total));
  }
}

/// As many as the request has, rounded up so that the picture changes its size only now and then.
std::uint32_t drawn_tokens(const ProbeFrame& frame) {
  constexpr std::uint32_t kStep = 16;
  const auto tokens = static_cast<std::uint32_t>(frame.rows.size());
  return std::min(frame.probe.num_tokens(), (tokens + kStep - 1) / kStep * kStep);
}

/// What to do when there is nothing to explain; empty: there is.
std::string_view why_empty(const World& world, std::optional<RequestId> request) {
  if (!request)
    return "What each token looks at is drawn here, once a request has computed some. Press Space to go on.";
  if (world.model.layers == 0)
    return "This run has no model: nobody computed attention. Run a scenario, or your own prompt.";
  return {};
}

}  // namespace

std::string ProbeFrame::name(std::uint32_t position) const {
  if (position >= request.tokens.size()) return {};
  return layout::visible_token(context.scene.world().text_of(request.tokens[position]));
}

ProbeRow ProbeFrame::row(std::uint32_t position) const {
  return position < rows.size() ? rows[position] : ProbeRow::waiting;
}

void AttentionPanelState::move_layer(const ModelShape& shape, int by) {
  const auto last = static_cast<int>(shape.layers) - 1;
  layer = static_cast<std::uint32_t>(std::clamp(static_cast<int>(layer) + by, 0, std::max(0, last)));
}

void AttentionPanelState::move_head(const ModelShape& shape, int by) {
  if (shape.kv_heads == 0) return;
  const int step = view == ProbeView::weights ? 1 : static_cast<int>(shape.query_heads / as_read(shape).kv_heads);
  const auto last = static_cast<int>(shape.query_heads) - 1;
  head = static_cast<std::uint32_t>(std::clamp(static_cast<int>(head) + by * step, 0, std::max(0, last)));
}

void AttentionPanelState::move_cursor(int rows, int columns) {
  const layout::HeatCell at = cursor.value_or(layout::HeatCell{});
  const auto moved = [](std::uint32_t from, int by) {
    return static_cast<std::uint32_t>(std::max(0, static_cast<int>(from) + by));
  };
  cursor = cursor ? layout::HeatCell{moved(at.row, rows), moved(at.column, columns)} : at;
  reveal_cursor = true;
}

std::optional<RequestId> probed_request(const World& world, const Target& selected) {
  const auto chosen = resolve(world, selected).request;
  if (chosen) return chosen;
  for (const auto& request : world.requests) {
    if (request->computed_tokens > 0 || request->new_count > 0) return request->id;
  }
  return std::nullopt;
}

void draw_attention_panel(PanelContext& context, AttentionPanelState& state, const ProbeAnswer& answer,
                          const Rect& dock) {
  Panel panel(context, "attention", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  const World& world = context.scene.world();
  const auto id = probed_request(world, context.selection.selected);
  const std::string_view why = why_empty(world, id);
  if (!why.empty()) return empty_state(context, "attention_empty", why);
  if (answer.state == ProbeAnswer::State::no_model) return draw_waiting(context, answer);
  draw_header(context, state, world.model);
  if (answer.probe == nullptr || answer.probe->num_tokens() == 0) return draw_waiting(context, answer);
  const RequestState& request = world.request(*id);
  ProbeFrame frame{context, state, answer, *answer.probe, request, {}, 0, {}};
  frame.rows = layout::probe_rows(request, context.scene.timeline.work_rows(*id), world.step);
  const std::uint32_t shown = layout::num_shown(frame.rows);
  draw_origin(context, answer, request, shown);
  if (shown == 0)
    return empty_state(context, "attention_empty", "Nothing of this request is computed yet. Step on, or press Space.");
  frame.extent = drawn_tokens(frame);
  frame.painted = fmt::format("{} {} ", answer.version, context.ui.look_version());
  frame.painted += fmt::format("{} ", frame.extent);
  for (const ProbeRow row : frame.rows) frame.painted += static_cast<char>('0' + static_cast<int>(row));
  if (state.as_text) return draw_text(frame);
  state.view == ProbeView::weights ? draw_weights(frame) : draw_keys_values(frame);
}

}  // namespace kvarium::ui
