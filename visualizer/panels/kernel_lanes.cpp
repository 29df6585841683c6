// The threads of the Kernel tab.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/words/words.h"
#include "visualizer/layout/grouped_cells.h"
#include "visualizer/panels/kernel_view.h"

namespace kvarium::ui {
namespace {

using cuda::emulator::Thread;
using cuda::emulator::ThreadState;
using layout::Rect;

constexpr float kRow = 19, kLane = 26, kSign = 20, kLine = 40, kGap = 7;  // logical pixels

Colour state_colour(const Theme& theme, ThreadState state) {
  switch (state) {
    case ThreadState::unstarted:
    case ThreadState::returned:
      return theme.raised;
    case ThreadState::ready:
      return theme.selected;
    case ThreadState::paused:
      return theme.accent;
    case ThreadState::at_barrier:
    case ThreadState::at_warp_call:
      return theme.warning;
  }
  return theme.raised;
}

/// A sign for each state, on a fill of its own.
void draw_state(Painter& painter, const Rect& cell, const Thread& thread) {
  const Colour fill = state_colour(painter.theme(), thread.state);
  painter.fill(cell, fill, 2);
  painter.outline(cell, painter.theme().line, 1, 2);
  painter.text(cell, std::string(1, cuda::demos::state_sign(thread)), readable_on(fill), FontRole::small,
               Align::centre);
}

/// All warps, a row each, where there are several.
void draw_warps(KernelView& view) {
  const unsigned warps = view.kernel.threads().num_warps();
  if (warps == 1) return;
  kernel_title(view, "kernel_warps", tr_format("{} warps; the lanes of the chosen one are below", warps));
  Painter painter(*ImGui::GetWindowDrawList(), view.context.ui);
  for (unsigned warp = 0; warp < warps; ++warp) {
    std::string signs;
    const unsigned lanes = cuda::demos::lanes_in_warp(view.kernel, warp);
    for (unsigned lane = 0; lane < lanes; ++lane)
      signs += cuda::demos::state_sign(view.kernel.threads().thread(32 * warp + lane));
    const std::string id = fmt::format("warp/{}", warp);
    const Pressable place = pressable(view.context, id, "row", id, signs, view.px(kRow));
    if (place.pressed) view.state.thread = 32 * warp;
    const bool chosen = warp == view.warp();
    painter.fill(place.area, chosen ? view.theme().selected : place.hovered ? view.theme().hovered : 0, 4);
    Rect row = place.area.inset(view.px(1));
    painter.text(layout::cut_left(row, view.px(kLane)), std::to_string(warp), view.theme().text, FontRole::small);
    const std::vector<Rect> cells = layout::grouped_cells(row, 32, 8, view.px(3), view.px(15));
    for (unsigned lane = 0; lane < std::min<std::size_t>(lanes, cells.size()); ++lane)
      draw_state(painter, cells[lane], view.kernel.threads().thread(32 * warp + lane));
  }
}

struct Register {
  std::string name;
  float width = 0;  ///< pixels
};

/// What the lanes of the warp show, each column as wide as its numbers.
std::vector<Register> registers_of(KernelView& view, const Painter& painter) {
  std::vector<Register> columns;
  const unsigned first = 32 * view.warp(), lanes = cuda::demos::lanes_in_warp(view.kernel, view.warp());
  for (unsigned t = first; t < first + lanes; ++t) {
    for (const auto& number : view.kernel.threads().thread(t).shown) {
      const auto is_it = [&](const Register& column) { return column.name == number.name; };
      auto column = std::find_if(columns.begin(), columns.end(), is_it);
      if (column == columns.end()) {
        columns.push_back({number.name, painter.measure(FontRole::small, number.name)});
        column = columns.end() - 1;
      }
      const float width = painter.measure(FontRole::small, cuda::demos::number_words(number.value));
      column->width = std::max(column->width, width);
    }
  }
  return columns;
}

void draw_header(KernelView& view, Painter& painter, const std::vector<Register>& columns) {
  const Rect room = room_left();
  ImGui::Dummy({room.width, view.px(16)});
  Rect row{room.x, room.y, room.width, view.px(16)};
  const auto cell = [&](float width, std::string_view words, Align align) {
    painter.text(layout::cut_left(row, width), words, view.theme().dim, FontRole::small, align);
  };
  cell(view.px(kLane + kSign), tr("lane"), Align::left);
  cell(view.px(kLine), tr("line"), Align::right);
  for (const Register& column : columns) cell(column.width + view.px(kGap), column.name, Align::right);
}

void draw_lane(KernelView& view, Painter& painter, unsigned t, const std::vector<Register>& columns) {
  const Thread& thread = view.kernel.threads().thread(t);
  const bool chosen = t == view.state.thread;
  std::string value = cuda::demos::state_words(thread);
  for (const Register& column : columns)
    value += fmt::format(" {} {}", column.name, cuda::demos::register_words(thread, column.name));
  const std::string id = fmt::format("lane/{}", t);
  const Pressable place = pressable(view.context, id, "row", id, value, view.px(kRow));
  if (place.pressed) view.state.thread = t;
  if (chosen && view.state.reveal_thread) {
    ImGui::SetScrollHereY();
    view.state.reveal_thread = false;
  }
  if (chosen || place.hovered) painter.fill(place.area, chosen ? view.theme().selected : view.theme().hovered, 4);
  if (chosen) painter.fill({place.area.x, place.area.y, view.px(3), place.area.height}, view.theme().accent, 1.5F);
  Rect row = place.area;
  Rect lane = layout::cut_left(row, view.px(kLane));
  layout::cut_left(lane, view.px(6));
  painter.text(lane, std::to_string(t % 32), view.theme().text, FontRole::small);
  draw_state(painter, layout::cut_left(row, view.px(kSign)).inset(view.px(1.5F)), thread);
  const std::string line = cuda::demos::place_words(thread).empty() ? "" : fmt::format(":{}", thread.site.line);
  painter.text(layout::cut_left(row, view.px(kLine)), line, view.theme().dim, FontRole::small, Align::right);
  for (const Register& column : columns) {
    painter.text(layout::cut_left(row, column.width + view.px(kGap)), cuda::demos::register_words(thread, column.name),
                 view.theme().text, FontRole::small, Align::right);
  }
}

void draw_chosen(KernelView& view) {
  const std::string place = cuda::demos::place_words(view.thread());
  const std::string at = place.empty() ? "" : " (" + place + ")";
  const std::string words =
      tr_format("thread {}: {}{}", view.state.thread, cuda::demos::state_words(view.thread()), at);
  wrapped_text(view.context.ui, "kernel_thread", words);
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  ImGui::PushStyleColor(ImGuiCol_Text, view.theme().dim);
  wrapped_text(view.context.ui, "kernel_signs", cuda::demos::state_signs());
  ImGui::PopStyleColor();
}

}  // namespace

void draw_kernel_lanes(KernelView& view) {
  draw_warps(view);
  Painter painter(*ImGui::GetWindowDrawList(), view.context.ui);
  const std::vector<Register> columns = registers_of(view, painter);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {view.px(8), 0});
  draw_header(view, painter, columns);
  const unsigned first = 32 * view.warp();
  for (unsigned lane = 0; lane < cuda::demos::lanes_in_warp(view.kernel, view.warp()); ++lane)
    draw_lane(view, painter, first + lane, columns);
  ImGui::PopStyleVar();
  ImGui::Spacing();
  draw_chosen(view);
}

}  // namespace kvarium::ui
