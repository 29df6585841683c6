#pragma once
// What a lesson is written with: say, show, ask, expect. The engine's events and the lesson's words go into one
// trace, in the order in which they happen; the World after them is what figures and numbers are taken from.

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event_sink.h"
#include "core/trace/world.h"
#include "lessons/kit/front.h"

namespace kvarium {

/// The learner predicts, then sees. `expected` is what the lesson's author wrote down, `answer` what the engine
/// computed just now: --check fails where they differ.
struct Question {
  std::string text;
  std::vector<std::string> choices;  ///< empty: a number or a word is typed
  std::string expected;
  std::string answer;
  std::string because;  ///< one or two sentences, told after the answer
};

/// True when `given` means `answer`: the same word or number, the choice's letter ("b") or its text. Blanks around it
/// and upper case do not matter.
bool same_answer(std::string_view given, std::string_view answer, const std::vector<std::string>& choices);

class LessonKit : public EventSink {
 public:
  /// Everything is also sent to `record`.
  LessonKit(LessonFront& front, EventSink& record) : front_(front), record_(record) {}

  void title(const std::string& text);
  /// One paragraph; `points` are ids from points.h.
  void say(const std::string& text, std::vector<std::string> points = {});
  /// A figure in text. Not an event: the window draws the World itself.
  void show(const std::string& figure);
  void ask(const Question& question, std::vector<std::string> points = {});
  /// A claim that the lesson's words rest on: --check fails where the engine's value differs.
  void expect(std::string_view what, std::uint64_t expected, std::uint64_t engine);

  /// An event of the engine.
  void emit(Event event) override;

  const World& world() const { return world_; }
  std::size_t num_checked() const { return num_checked_; }  ///< answers and claims compared so far
  /// One sentence for each answer or claim that differs from the engine.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void compare(std::string_view what, const std::string& expected, const std::string& engine);

  LessonFront& front_;
  EventSink& record_;
  World world_;
  std::size_t num_checked_ = 0;
  std::vector<std::string> failures_;
};

}  // namespace kvarium
