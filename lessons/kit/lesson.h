#pragma once
// A lesson: a program that runs the engine and narrates. Its words are events, so the terminal prints the trace, the
// window plays it and the test checks it.

#include <string>
#include <string_view>
#include <vector>

namespace kvarium {

class EventSink;
class LessonKit;

struct Lesson {
  std::string id;     ///< "04_paged_blocks"
  std::string title;  ///< "Paged blocks"
  std::string doc;    ///< "docs/lessons/04_paged_blocks.md"
  void (*run)(LessonKit&);
};

/// All lessons in their order.
const std::vector<Lesson>& lessons();
/// By id, or by its number. InputError that lists them when there is none.
const Lesson& find_lesson(std::string_view id);
/// Runs the lesson without a person: its words and the engine's events, in order. What the window plays.
void record_lesson(const Lesson& lesson, EventSink& sink);

}  // namespace kvarium
