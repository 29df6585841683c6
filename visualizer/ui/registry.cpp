#include "visualizer/ui/registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {
namespace {

ScreenRect clipped(const ScreenRect& rect, const ImVec2& min, const ImVec2& max) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  return {std::max({rect.min_x, min.x, 0.0F}), std::max({rect.min_y, min.y, 0.0F}),
          std::min({rect.max_x, max.x, screen.x}), std::min({rect.max_y, max.y, screen.y})};
}

ScreenRect clipped_to_window(const ScreenRect& rect) {
  const ImRect& clip = ImGui::GetCurrentWindow()->ClipRect;
  return clipped(rect, clip.Min, clip.Max);
}

}  // namespace

void UiRegistry::begin_frame() { drawing_.clear(); }

void UiRegistry::end_frame() {
  shown_.swap(drawing_);
  by_id_.clear();
  duplicates_.clear();
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (!by_id_.emplace(shown_[i].id, i).second) duplicates_.push_back(shown_[i].id);
  }
}

void UiRegistry::add_last_item(std::string_view id, std::string_view label, std::string_view kind, std::string value,
                               bool enabled, std::string_view reason) {
  if (!scroll_to_.empty() && scroll_to_ == id) {
    ImGui::SetScrollHereY();
    ImGui::SetScrollHereX();
    scroll_to_.clear();
  }
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const ScreenRect rect = clipped_to_window({min.x, min.y, max.x, max.y});
  drawing_.push_back({std::string(id), std::string(label), std::string(kind), std::move(value), std::string(reason),
                      rect, ImGui::GetItemID(), ImGui::IsItemVisible() && !rect.empty(), enabled});
}

void UiRegistry::add_rect(std::string_view id, std::string_view kind, std::string_view label, std::string value,
                          unsigned canvas_id, const ScreenRect& rect) {
  const ScreenRect clipped = clipped_to_window(rect);
  drawing_.push_back({std::string(id),
                      std::string(label),
                      std::string(kind),
                      std::move(value),
                      {},
                      clipped,
                      canvas_id,
                      !clipped.empty(),
                      true});
}

void UiRegistry::add_window(std::string_view id, std::string_view kind, std::string_view label) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize(), max(min.x + size.x, min.y + size.y);
  const ScreenRect rect = clipped({min.x, min.y, max.x, max.y}, min, max);
  drawing_.push_back({std::string(id), std::string(label), std::string(kind), {}, {}, rect, 0, !rect.empty(), true});
}

const UiItem* UiRegistry::find(std::string_view id_or_label) const {
  if (const auto found = by_id_.find(std::string(id_or_label)); found != by_id_.end()) return &shown_[found->second];
  const UiItem* only = nullptr;
  for (const UiItem& item : shown_) {
    if (!item.visible || item.label != id_or_label) continue;
    if (only != nullptr) return nullptr;
    only = &item;
  }
  return only;
}

std::string UiRegistry::dump() const {
  std::string text;
  for (const UiItem& item : shown_) {
    nlohmann::ordered_json line{{"id", item.id}, {"kind", item.kind}, {"label", item.label}};
    if (!item.value.empty()) line["value"] = item.value;
    line["rect"] = {item.rect.min_x, item.rect.min_y, item.rect.max_x, item.rect.max_y};
    line["visible"] = item.visible;
    line["enabled"] = item.enabled;
    if (!item.reason.empty()) line["reason"] = item.reason;
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return text;
}

std::string UiRegistry::visible_ids() const {
  std::string text;
  for (const UiItem& item : shown_) {
    if (item.visible) text += (text.empty() ? "" : ", ") + item.id;
  }
  return text;
}

}  // namespace kvarium::ui
