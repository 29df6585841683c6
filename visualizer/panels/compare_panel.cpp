#include "visualizer/panels/compare_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "visualizer/draw/cell.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kTitle = 24, kRow = 19, kLane = 20, kMostPool = 150;
constexpr std::size_t kMostLanes = 12;

/// Who holds each block: the first request whose table names it.
std::vector<std::optional<RequestId>> owners(const World& world) {
  std::vector<std::optional<RequestId>> of(world.blocks.size());
  for (const auto& request : world.requests) {
    for (const BlockId block : request->table) {
      if (!of[index(block)]) of[index(block)] = request->id;
    }
  }
  return of;
}

/// Each block a cell: its owner's letter and colour; what only the cache holds is grey with a "c"; free ones are empty.
/// Cuts what it needs off the top of the area, at most half of it.
void draw_pool_map(Painter& painter, const World& world, Rect& room) {
  Rect area = room;
  area.height = std::min(painter.px(kMostPool), room.height / 2);
  const std::size_t count = world.blocks.size();
  if (count == 0 || area.empty()) return;
  const float largest = painter.px(26);
  const auto columns_for = [&](float cell) { return std::max(1.0F, std::floor(area.width / cell)); };
  float cell = largest;
  while (cell > 2 && std::ceil(static_cast<float>(count) / columns_for(cell)) * cell > area.height) cell *= 0.9F;
  const auto columns = static_cast<std::size_t>(columns_for(cell));
  layout::cut_top(room, std::min(area.height, cell * static_cast<float>((count + columns - 1) / columns)));
  const std::vector<std::optional<RequestId>> of = owners(world);
  const Theme& theme = painter.theme();
  for (std::size_t i = 0; i < count; ++i) {
    const float gap = cell > painter.px(8) ? painter.px(2) : 0;
    const Rect at{area.x + static_cast<float>(i % columns) * cell, area.y + static_cast<float>(i / columns) * cell,
                  cell - gap, cell - gap};
    if (at.bottom() > area.bottom() + 1) return;
    const BlockState& block = world.blocks[i];
    const bool cached = block.hash.has_value() || block.in_tree;
    if (of[i]) {
      const OwnerColours colours = theme.owner(value(*of[i]));
      painter.fill(at, colours.fill, 2);
      painter.text_if_fits(at, letter(*of[i]), colours.text, FontRole::small, Align::centre);
    } else if (cached) {
      painter.fill(at, with_alpha(theme.cached, 0.55F), 2);
      painter.text_if_fits(at, "c", theme.text, FontRole::small, Align::centre);
    } else {
      painter.outline(at, theme.outline, 1, 2);
    }
  }
}

std::string_view status_words(RequestStatus status) {
  switch (status) {
    case RequestStatus::waiting:
      return tr("waiting");
    case RequestStatus::running:
      return tr("running");
    case RequestStatus::preempted:
      return tr("preempted");
    case RequestStatus::finished:
      return tr("finished");
    case RequestStatus::aborted:
      return tr("aborted");
  }
  return "";
}

/// A line a request: its letter, how much of its text is in the cache, its status.
void draw_requests(Painter& painter, const World& world, Rect area) {
  const std::size_t shown = std::min(
      {world.requests.size(), kMostLanes, static_cast<std::size_t>(std::max(0.0F, area.height / painter.px(kLane)))});
  std::uint64_t most = 1;
  for (const auto& request : world.requests) {
    most = std::max<std::uint64_t>(most, std::uint64_t{request->prompt_tokens} + request->max_new_tokens);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const RequestState& request = *world.requests[i];
    Rect line = layout::cut_top(area, painter.px(kLane));
    const OwnerColours colours = painter.theme().owner(i);
    const Rect chip = layout::cut_left(line, painter.px(20)).inset(painter.px(2));
    painter.fill(chip, colours.fill, 3);
    painter.text_if_fits(chip, letter(request.id), colours.text, FontRole::small, Align::centre);
    layout::cut_left(line, painter.px(6));
    const Rect words = layout::cut_right(line, painter.px(78));
    painter.text(words, status_words(request.status), painter.theme().dim, FontRole::small);
    const Rect bar{line.x, line.y + painter.px(5), line.width - painter.px(8), line.height - painter.px(10)};
    const auto part = [&](std::size_t tokens) {
      return bar.width * static_cast<float>(static_cast<double>(tokens) / static_cast<double>(most));
    };
    painter.fill({bar.x, bar.y, part(std::min<std::size_t>(request.tokens.size(), most)), bar.height},
                 with_alpha(colours.fill, 0.25F), 2);
    painter.fill({bar.x, bar.y, part(std::min<std::size_t>(request.computed_tokens, most)), bar.height}, colours.fill,
                 2);
  }
  if (world.requests.size() > shown) {
    painter.text(layout::cut_top(area, painter.px(kLane)), tr_format("{} more", world.requests.size() - shown),
                 painter.theme().dim, FontRole::small);
  }
}

void draw_side(PanelContext& context, Painter& painter, std::string_view id, const std::string& title,
               const World& world, Rect area) {
  context.ui.registry.add_rect(id, "run", title, tr_format("step {}", world.step), 0, screen_rect(area));
  Rect head = layout::cut_top(area, context.px(kTitle));
  const Rect step = layout::cut_right(head, context.px(70));
  painter.text(head, title, context.ui.theme().text, FontRole::strong);
  painter.text(step, tr_format("step {}", world.step), context.ui.theme().dim, FontRole::small, Align::right);
  draw_pool_map(painter, world, area);
  layout::cut_top(area, context.px(8));
  draw_requests(painter, world, area);
}

/// Name, left, right, and the difference in amber with its sign.
void draw_rows(PanelContext& context, const std::vector<ComparedRow>& rows) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  const auto at = [&](float share) { ImGui::SameLine(left + width * share); };
  ImGui::BeginChild("compare_rows");
  dim_text(context.ui, "", "At this step");
  at(0.46F);
  dim_text(context.ui, "", "left");
  at(0.64F);
  dim_text(context.ui, "", "right");
  at(0.82F);
  dim_text(context.ui, "", "difference");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparedRow& row = rows[i];
    text(context.ui, "", row.name);
    at(0.46F);
    mono_text(context.ui, "", row.left);
    at(0.64F);
    mono_text(context.ui, "", row.right);
    at(0.82F);
    const Theme& theme = context.ui.theme();
    ImGui::PushStyleColor(ImGuiCol_Text, row.delta.empty() ? theme.dim : theme.warning);
    mono_text(context.ui, "compare/" + std::to_string(i), row.delta.empty() ? "=" : row.delta);
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
}

/// To the right of the last group, at its top: SameLine() would move a caption down to the height of a button's.
void beside_last(PanelContext& context, float top) {
  ImGui::SetCursorScreenPos({ImGui::GetItemRectMax().x + context.px(16), top});
}

/// Which parameter differs, and what the other run has. Returns whether the person changed either.
bool draw_choice(PanelContext& context, ComparePanelState& state, const ScenarioForm& form) {
  const std::vector<std::size_t> fields = comparable_fields(form);
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const std::size_t field : fields) names.push_back(form.fields[field].name);
  bool changed = false;
  const float top = ImGui::GetCursorScreenPos().y;
  ImGui::BeginGroup();
  if (combo(context.ui, "compare_field", "What differs", state.field, names, {.width = 190})) {
    suggest_other(state, form);
    changed = true;
  }
  ImGui::EndGroup();
  beside_last(context, top);
  ImGui::BeginGroup();
  if (state.other.kind == FormField::Kind::choice) {
    const auto at = std::find(state.other.choices.begin(), state.other.choices.end(), state.other.text);
    int chosen = static_cast<int>(at - state.other.choices.begin());
    if (combo(context.ui, "compare_value", "In the other run", chosen, state.other.choice_names, {.width = 230})) {
      state.other.text = state.other.choices[static_cast<std::size_t>(chosen)];
      changed = true;
    }
  } else if (input_int(context.ui, "compare_value", "In the other run", state.other.number, state.other.low,
                       state.other.high, {.width = 170})) {
    changed = true;
  }
  ImGui::EndGroup();
  return changed;
}

}  // namespace

std::vector<std::size_t> comparable_fields(const ScenarioForm& form) {
  std::vector<std::size_t> fields;
  for (const FormField::Kind kind : {FormField::Kind::choice, FormField::Kind::number}) {
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
      if (form.fields[i].kind == kind && form.fields[i].id != "part") fields.push_back(i);
    }
  }
  return fields;
}

void suggest_other(ComparePanelState& state, const ScenarioForm& form) {
  const std::vector<std::size_t> fields = comparable_fields(form);
  if (fields.empty()) return;
  state.field = std::clamp(state.field, 0, static_cast<int>(fields.size()) - 1);
  state.other = form.fields[fields[static_cast<std::size_t>(state.field)]];
  if (state.other.kind == FormField::Kind::choice) {
    const auto at = std::find(state.other.choices.begin(), state.other.choices.end(), state.other.text);
    if (at == state.other.choices.end()) return;
    state.other.text = at + 1 == state.other.choices.end() ? state.other.choices.front() : *(at + 1);
  } else {
    const int twice = state.other.number * 2;
    state.other.number = twice > state.other.high || twice == 0 ? state.other.low : twice;
  }
}

std::string value_text(const FormField& field) {
  if (field.kind != FormField::Kind::number) return field.text;
  return fmt::format("{:.6g}", static_cast<double>(field.unit) * field.number);
}

void draw_compare_panel(PanelContext& context, ComparePanelState& state, const ScenarioForm& form,
                        const CompareView& view, const Rect& dock, const std::function<void()>& start) {
  Panel panel(context, "compare", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  if (comparable_fields(form).empty()) {
    return empty_state(context, "compare_empty", "Only a scenario with parameters can be run twice: choose one.");
  }
  const float top = ImGui::GetCursorScreenPos().y;
  if (draw_choice(context, state, form)) start();
  beside_last(context, top);
  ImGui::BeginGroup();
  dim_text(context.ui, "", view.running ? "The engine is at work" : " ");
  const Look copy{
      .enabled = !view.rows.empty(), .reason = "There is nothing to compare yet", .tooltip = "Copy as text"};
  if (button(context.ui, "copy_comparison", "Copy", copy))
    context.actions.copy(comparison_text(view.rows, state.left_title, state.right_title));
  ImGui::EndGroup();
  if (!state.error.empty()) wrapped_text(context.ui, "compare_error", state.error);
  if (view.right == nullptr) return;
  ImGui::Spacing();

  const Rect room = room_left();
  const float rows = std::min(room.height * 0.55F, static_cast<float>(view.rows.size() + 1) * context.px(kRow + 6));
  const Canvas canvas = kvarium::ui::canvas(context.ui, "compare_canvas", {room.width, room.height - rows});
  Painter painter(*canvas.list, context.ui);
  Rect left = layout_rect(canvas);
  left.height -= context.px(8);
  Rect right = layout::cut_right(left, left.width / 2);
  left.width -= context.px(8);
  layout::cut_left(right, context.px(8));
  draw_side(context, painter, "compare_left", state.left_title, view.left, left);
  draw_side(context, painter, "compare_right", state.right_title, *view.right, right);
  draw_rows(context, view.rows);
}

}  // namespace kvarium::ui
