#pragma once
// What is selected in numbers; the whole state as text; the list of all events.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct LogState {
  std::string search;
  bool focus_search = false;  ///< the search field takes the keyboard in the next frame

  // The sentences that are on the screen, kept while they stay the same.
  std::size_t first = 0, last = 0;
  std::vector<std::string> sentences;

  // The search, a part of the trace in each frame.
  std::string searched_for;
  std::size_t searched = 0;  ///< events [0, searched) were looked at
  World world;               ///< after them
  std::vector<std::pair<std::size_t, std::string>> found;

  std::size_t last_position = 0;  ///< to scroll to the event of the moment when it changes
  void forget();                  ///< for another trace
};

/// What was explained last, kept while it stays the same.
struct WhyState {
  Target target;
  std::size_t position = 0, events = 0;
  const void* trace = nullptr;
  std::vector<std::string> lines;
};

struct InspectorPanelState {
  LogState log;
  WhyState why;
  std::string select_tab;  ///< id of the tab to bring to the front; emptied when done
};

void draw_inspector_panel(PanelContext& context, InspectorPanelState& state, const layout::Rect& dock);
/// The tab Why?: why the selected request's blocks hit or not, why a block was evicted.
void draw_why(PanelContext& context, WhyState& state);
/// The log tab.
void draw_log(PanelContext& context, LogState& state);

}  // namespace kvarium::ui
