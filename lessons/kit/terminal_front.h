#pragma once
// A lesson in a terminal: Enter to go on, answers are typed, q leaves. Piped, it is plain text from start to end.

#include <istream>
#include <ostream>

#include "lessons/kit/front.h"
#include "lessons/kit/terminal.h"

namespace kvarium {

class TerminalFront : public LessonFront {
 public:
  TerminalFront(std::istream& in, std::ostream& out, const TerminalAbilities& can) : in_(in), out_(out), can_(can) {}

  void title(const std::string& text) override;
  void say(const std::string& text) override;
  void show(const std::string& figure) override;
  std::optional<std::string> ask(const std::string& question, const std::vector<std::string>& choices) override;
  void reveal(const std::string& answer, const std::string& because, std::optional<bool> right) override;

 private:
  enum class Ink { plain, title, figure, question, right, wrong, hint };

  void print(const std::string& text, Ink ink);
  void paragraph(const std::string& text, Ink ink);
  /// A line from the learner. Throws LessonLeft at q and at the end of input.
  std::string read_line();
  void wait_for_enter();

  std::istream& in_;
  std::ostream& out_;
  TerminalAbilities can_;
};

}  // namespace kvarium
