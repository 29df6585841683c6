#pragma once
// Words beside the picture: what a lesson says and asks, or what the scenario shows and what its requests write.

#include <string>
#include <unordered_map>

#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct GuidePanelState {
  std::string typed;                                     ///< in the answer field
  std::unordered_map<std::size_t, std::string> answers;  ///< by the position of the question
  std::size_t asked_position = SIZE_MAX;                 ///< of the question whose field was given the keyboard
  std::size_t last_position = 0;                         ///< to scroll to the newest words when they change
  int frames_to_scroll = 0;                              ///< their height is known a frame later
};

void draw_guide_panel(PanelContext& context, GuidePanelState& state, const layout::Rect& dock);

/// How many of a lesson's words have been said, and how many there are.
struct LessonProgress {
  std::size_t said = 0, all = 0;
};
LessonProgress lesson_progress(const Timeline& timeline, std::size_t position);
/// Whether the lesson waits for an answer that was not given yet.
bool waits_for_answer(const World& world, const GuidePanelState& state, std::size_t position);
/// Whether a typed answer is right: the words or numbers are the same, or the letter or text of the right choice.
bool right_answer(const Asked& asked, std::string_view given);

}  // namespace kvarium::ui
