#pragma once
// The menu: everything that can be done, each reachable by keyboard.

#include <functional>
#include <string>
#include <vector>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct LessonEntry {
  std::string id, title;
};

/// A small window that asks for a line: a path, or where to go.
struct PathDialog {
  enum class For { nothing, open_trace, open_model, save_trace, save_picture, save_metrics, go_to };
  For what = For::nothing;
  std::string path;
  bool just_opened = false;
  void open(For purpose, std::string suggestion) {
    what = purpose;
    path = std::move(suggestion);
    just_opened = true;
  }
};

struct MenuState {
  std::vector<LessonEntry> lessons;
  PathDialog dialog;
};

void draw_menu_bar(PanelContext& context, MenuState& state, const layout::Rect& dock);
/// `open_model(path)` is called for a model; everything else goes through the actions.
void draw_path_dialog(PanelContext& context, MenuState& state,
                      const std::function<void(const std::string&)>& open_model);

}  // namespace kvarium::ui
