#include "visualizer/panels/model_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/cost/units.h"
#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium::ui {
namespace {

constexpr std::size_t kMostRows = 400;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// What stands behind the folder's part of the typed path.
std::string typed_name(const ModelDialog& dialog) {
  if (dialog.path == dialog.listing.folder) return {};
  const std::size_t slash = dialog.path.find_last_of('/');
  return lower(slash == std::string::npos ? dialog.path : dialog.path.substr(slash + 1));
}

std::string path_in(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::string parent_of(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const std::size_t slash = folder.find_last_of('/');
  if (slash == std::string::npos) return "..";
  return slash == 0 ? "/" : folder.substr(0, slash);
}

std::string caption_of(const FolderEntry& entry) {
  const std::string name = printable(entry.name);
  if (entry.is_folder) return name + "/" + (entry.is_model ? "   " + std::string(tr("a model")) : "");
  return name + "   " + binary_size(entry.bytes);
}

/// A folder is entered, a file becomes the path; the list then shows what lies there.
void draw_list(PanelContext& context, ModelDialog& dialog, float height) {
  ImGui::BeginChild("model_list", {0, height}, true);
  const FolderListing& listing = dialog.listing;
  std::string chosen;
  if (row(context.ui, "folder_up", "../", false)) chosen = parent_of(listing.folder) + "/";
  const std::string typed = typed_name(dialog);
  std::size_t shown = 0, fitting = 0;
  for (const FolderEntry& entry : listing.entries) {
    if (lower(entry.name).find(typed) != 0) continue;
    if (++fitting > kMostRows) continue;
    const std::string path = path_in(listing.folder, entry.name) + (entry.is_folder ? "/" : "");
    if (row(context.ui, fmt::format("model_file/{}", shown++), caption_of(entry), path == dialog.path)) chosen = path;
  }
  if (fitting > kMostRows)
    dim_text(context.ui, "model_more", tr_format("... {} more: type how the name begins", fitting - kMostRows));
  if (!listing.error.empty()) wrapped_text(context.ui, "model_folder_error", listing.error);
  if (fitting == 0 && listing.error.empty()) dim_text(context.ui, "model_none", "No model here. Enter another folder.");
  ImGui::EndChild();
  if (!chosen.empty()) dialog.path = chosen;
}

void draw_choice(PanelContext& context, ModelDialog& dialog) {
  dim_text(
      context.ui, "model_question",
      "A .gguf file, a Hugging Face folder, a .safetensors file, or a llama2.c .bin with its tokenizer beside it.");
  input_text(context.ui, "model_path_typed", "", dialog.path, "a path", std::exchange(dialog.just_opened, false));
  const bool entered = ImGui::IsItemDeactivated() && compat::enter_pressed() && !dialog.path.empty();
  const float rest = ImGui::GetFrameHeightWithSpacing() + context.px(dialog.error.empty() ? 8 : 48);
  draw_list(context, dialog, std::max(context.px(80), ImGui::GetContentRegionAvail().y - rest));
  if (!dialog.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().bad);
    wrapped_text(context.ui, "model_error", dialog.error);
    ImGui::PopStyleColor();
  }
  const Look look{.enabled = !dialog.path.empty(), .reason = "Type or choose a path first", .primary = true};
  if (button(context.ui, "model_open", "Open", look) || entered) context.actions.open_model(dialog.path);
  ImGui::SameLine();
  if (button(context.ui, "model_cancel", "Cancel")) dialog.open = false;
}

void draw_reading(PanelContext& context, const ModelDialog& dialog) {
  wrapped_text(context.ui, "model_reading", reading_words(dialog.path, dialog.progress));
  const layout::Rect room = room_left();
  const double share = dialog.progress.total == 0
                           ? 0
                           : static_cast<double>(dialog.progress.done) / static_cast<double>(dialog.progress.total);
  Painter painter(*ImGui::GetWindowDrawList(), context.ui);
  const layout::Rect bar{room.x, room.y, room.width, context.px(8)};
  painter.fill(bar, context.ui.theme().line, 3);
  painter.fill({bar.x, bar.y, bar.width * static_cast<float>(share), bar.height}, context.ui.theme().accent, 3);
  ImGui::Dummy({room.width, context.px(14)});
  if (button(context.ui, "model_stop", "Stop")) context.actions.stop_opening();
}

void draw_facts(PanelContext& context, ModelDialog& dialog) {
  wrapped_text(context.ui, "model_opened", tr_format("Opened {}", printable(dialog.path)));
  ImGui::Spacing();
  for (std::size_t i = 0; i < dialog.facts.size(); ++i)
    wrapped_text(context.ui, fmt::format("model_fact/{}", i), dialog.facts[i]);
  ImGui::Spacing();
  const Look run{.tooltip = "With the prompt and the numbers in the form at the left", .primary = true};
  if (std::exchange(dialog.just_opened, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = compat::enter_pressed() && ImGui::IsWindowFocused();
  if (button(context.ui, "model_run", "Run my prompt", run) || entered) {
    context.actions.run_scenario();
    dialog.open = false;
  }
  ImGui::SameLine();
  if (button(context.ui, "model_close", "Close")) dialog.open = false;
}

}  // namespace

std::string reading_words(const std::string& path, const Progress& progress) {
  const std::string_view whole = std::string_view(path).substr(0, path.find_last_not_of('/') + 1);
  const std::string name = printable(whole.substr(whole.find_last_of('/') + 1));
  if (progress.total == 0) return tr_format("Reading {} ...", name);
  return tr_format("Reading {}: {:.0f} % of {}", name,
                   100 * static_cast<double>(progress.done) / static_cast<double>(progress.total),
                   binary_size(progress.total));
}

void draw_model_dialog(PanelContext& context, ModelDialog& dialog) {
  if (!dialog.open) return;
  if (dialog.just_opened) ImGui::SetNextWindowFocus();
  if (begin_floating(context.ui, "model_dialog", "Open a model", dialog.open, {620, 420})) {
    if (dialog.reading)
      draw_reading(context, dialog);
    else if (!dialog.facts.empty())
      draw_facts(context, dialog);
    else
      draw_choice(context, dialog);
  }
  end_floating();
}

}  // namespace kvarium::ui
