#include "visualizer/panels/transport_panel.h"

#include <fmt/format.h>

#include <array>

#include "core/words/words.h"
#include "visualizer/layout/animation.h"

namespace kvarium::ui {
namespace {

constexpr std::array<float, 7> kSpeeds{0.25F, 0.5F, 1, 2, 4, 8, kMaxSpeed};
const std::vector<std::string>& granularities() {
  static const std::vector<std::string> kNames{"by event", "by step", "by request"};
  return kNames;
}

void draw_buttons(PanelContext& context) {
  Ui& ui = context.ui;
  const Scene& scene = context.scene;
  Actions& actions = context.actions;
  const bool at_start = scene.player.at_start(), at_end = scene.player.at_end() && !scene.running;
  const Look back{
      .enabled = !at_start, .reason = "This is the start of the run", .tooltip = "To the start", .shortcut = "first"};
  const Look forward{
      .enabled = !at_end, .reason = "This is the end of the run", .tooltip = "To the end", .shortcut = "last"};
  const auto with = [](Look look, std::string_view tooltip, std::string_view shortcut) {
    look.tooltip = tooltip;
    look.shortcut = shortcut;
    return look;
  };
  if (icon_button(ui, "first", Icon::first, "To the start", back)) actions.jump(0);
  ImGui::SameLine();
  if (icon_button(ui, "previous_mark", Icon::previous_mark, "Previous mark",
                  with(back, "To the previous mark: a block taken, shared or given back", "previous_mark")))
    actions.step_mark(false);
  ImGui::SameLine();
  if (icon_button(ui, "step_back", Icon::step_back, "One step back", with(back, "One step back", "step_back")))
    actions.step(scene.granularity, false);
  ImGui::SameLine();
  const Look play{.tooltip = scene.playing ? "Pause" : "Play", .shortcut = "play", .width = 56, .primary = true};
  if (button(ui, "play", scene.playing ? "Pause" : "Play", play)) actions.toggle_play();
  ImGui::SameLine();
  if (icon_button(ui, "step_forward", Icon::step_forward, "One step forward",
                  with(forward, "One step forward", "step_forward")))
    actions.step(scene.granularity, true);
  ImGui::SameLine();
  if (icon_button(ui, "next_mark", Icon::next_mark, "Next mark",
                  with(forward, "To the next mark: a block taken, shared or given back", "next_mark")))
    actions.step_mark(true);
  ImGui::SameLine();
  if (icon_button(ui, "last", Icon::last, "To the end", forward)) actions.jump(scene.trace().size());
}

void draw_choices(PanelContext& context) {
  Ui& ui = context.ui;
  int granularity = static_cast<int>(context.scene.granularity);
  const Look small{
      .tooltip = "How far one step goes: one event, one step of the engine, or until a request arrives or ends",
      .width = 112};
  if (combo(ui, "granularity", "", granularity, granularities(), small)) {
    context.actions.set_granularity(static_cast<Granularity>(granularity));
  }
  ImGui::SameLine();
  std::vector<std::string> names;
  int speed = 0;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    names.push_back(speed_name(kSpeeds[i]));
    if (kSpeeds[i] == context.scene.speed) speed = static_cast<int>(i);
  }
  if (combo(ui, "speed", "", speed, names, {.tooltip = "Speed of playing (keys - and =)", .width = 84})) {
    context.actions.set_speed(kSpeeds[static_cast<std::size_t>(speed)]);
  }
}

/// What just happened, and at the right end the title, where there is room for both.
void draw_what_is_shown(PanelContext& context, const layout::Rect& dock) {
  constexpr float kLeast = 150;  // logical pixels: a sentence that is cut sooner says nothing
  const Scene& scene = context.scene;
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  layout::Rect room = dock;
  layout::cut_left(room, ImGui::GetItemRectMax().x + context.px(18) - room.x);
  layout::cut_right(room, context.px(16));
  const float title = painter.measure(FontRole::body, scene.title) + context.px(18);
  if (room.width >= title) {
    const layout::Rect at = layout::cut_right(room, title);
    painter.text(at, scene.title, context.ui.theme().dim, FontRole::body, Align::right);
  }
  if (room.width >= context.px(kLeast)) painter.text(room, scene.now, context.ui.theme().text, FontRole::body);
  context.ui.registry.add_rect("now", "text", scene.now, "", 0, screen_rect(room));
}

}  // namespace

std::string speed_name(float speed) { return speed == kMaxSpeed ? std::string(tr("max")) : fmt::format("{}x", speed); }

void draw_transport_panel(PanelContext& context, const layout::Rect& dock) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {context.px(8), context.px(5)});
  {
    Panel panel(context, "transport", "", dock, ImGuiWindowFlags_NoScrollbar);
    const Scene& scene = context.scene;
    draw_buttons(context);
    ImGui::SameLine(0, context.px(18));
    draw_choices(context);
    ImGui::SameLine(0, context.px(18));
    ImGui::AlignTextToFramePadding();
    const std::string where = tr_format("step {} of {}", scene.world().step, scene.trace().num_steps());
    text(context.ui, "where_step", where);
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    dim_text(context.ui, "where_event", tr_format("event {} of {}", scene.player.position(), scene.trace().size()));
    if (scene.running) {
      ImGui::SameLine(0, context.px(18));
      ImGui::AlignTextToFramePadding();
      dim_text(context.ui, "running", "the engine is at work");
      ImGui::SameLine();
      if (button(context.ui, "cancel", "Stop", {.tooltip = "Stop the engine; what has happened stays"}))
        context.actions.cancel_run();
    }
    draw_what_is_shown(context, dock);
  }
  ImGui::PopStyleVar();
}

}  // namespace kvarium::ui
