#pragma once
// What a lesson speaks through: a terminal, or nobody when it is only checked or recorded.

#include <optional>
#include <string>
#include <vector>

namespace kvarium {

/// Thrown by a front when the learner leaves; the lesson ends there, and what was recorded stays.
struct LessonLeft {};

class LessonFront {
 public:
  LessonFront() = default;
  LessonFront(const LessonFront&) = delete;
  LessonFront& operator=(const LessonFront&) = delete;
  virtual ~LessonFront() = default;

  virtual void title(const std::string& text) = 0;
  virtual void say(const std::string& text) = 0;
  /// Lines of a figure, drawn as they are.
  virtual void show(const std::string& figure) = 0;
  /// What the learner answered; nothing where nobody is asked.
  virtual std::optional<std::string> ask(const std::string& question, const std::vector<std::string>& choices) = 0;
  /// After a question. `right`: nothing where nobody answered.
  virtual void reveal(const std::string& answer, const std::string& because, std::optional<bool> right) = 0;
};

/// Hears everything and says nothing.
class SilentFront : public LessonFront {
 public:
  void title(const std::string&) override {}
  void say(const std::string&) override {}
  void show(const std::string&) override {}
  std::optional<std::string> ask(const std::string&, const std::vector<std::string>&) override { return {}; }
  void reveal(const std::string&, const std::string&, std::optional<bool>) override {}
};

}  // namespace kvarium
