#pragma once
// The menu: everything that can be done, each reachable by keyboard.

#include <string>
#include <vector>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct LessonEntry {
  std::string id, title;
};

/// A small window that asks for a line: a path, or where to go.
struct PathDialog {
  enum class For { nothing, open_trace, save_trace, save_picture, save_metrics, go_to };
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
void draw_path_dialog(PanelContext& context, MenuState& state);

}  // namespace kvarium::ui
