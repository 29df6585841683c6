#pragma once
// What all controls of widgets.h are made with: the label that Dear ImGui takes, the tooltip, the entry in the
// registry.

#include <string>
#include <string_view>

#include "visualizer/ui/ui.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {

/// "Caption###id": Dear ImGui shows what stands before the marks and takes its identity from what follows them.
std::string label_of(std::string_view caption, std::string_view id);

/// Shows the words beside the mouse and records them as "tooltip".
void show_tooltip(Ui& ui, std::string_view words);

/// The line above a slider or field: its caption on the left, its value (if any) on the right of `width` pixels.
void caption_line(const Ui& ui, std::string_view caption, std::string_view value, float width);

/// Pixels that a field takes: the look's width, else all there is.
float field_width(const Ui& ui, const Look& look);

/// Disables what is drawn in its lifetime when the look says so; record() is called right after the widget.
class Control {
 public:
  Control(Ui& ui, std::string_view id, const Look& look);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  void record(std::string_view label, std::string_view kind, std::string value = {}) const;

 private:
  Ui& ui_;
  std::string_view id_;
  Look look_;
};

}  // namespace kvarium::ui
