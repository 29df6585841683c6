#include "lessons/kit/lesson_kit.h"

#include <algorithm>
#include <cctype>

#include "core/words/words.h"

namespace kvarium {
namespace {

/// Without blanks at its ends, in lower case.
std::string plain(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

bool same_answer(std::string_view given, std::string_view answer, const std::vector<std::string>& choices) {
  const std::string text = plain(given);
  if (text == plain(answer)) return true;
  if (text.size() != 1 || text[0] < 'a') return false;
  const auto choice = static_cast<std::size_t>(text[0] - 'a');
  return choice < choices.size() && plain(choices[choice]) == plain(answer);
}

void LessonKit::title(const std::string& text) {
  emit(LessonStarted{text});
  front_.title(text);
}

void LessonKit::say(const std::string& text, std::vector<std::string> points) {
  emit(Said{text, std::move(points)});
  front_.say(text);
}

void LessonKit::show(const std::string& figure) { front_.show(figure); }

void LessonKit::ask(const Question& question, std::vector<std::string> points) {
  compare(question.text, question.expected, question.answer);
  if (!question.choices.empty() &&
      std::find(question.choices.begin(), question.choices.end(), question.answer) == question.choices.end()) {
    failures_.push_back(
        fmt::format("\"{}\": the engine's answer \"{}\" is none of the choices", question.text, question.answer));
  }
  emit(Asked{question.text, question.choices, question.answer});
  const auto given = front_.ask(question.text, question.choices);
  std::optional<bool> right;
  if (given && !given->empty()) right = same_answer(*given, question.answer, question.choices);
  emit(Said{tr_format("The answer: {}. {}", question.answer, question.because), std::move(points)});
  front_.reveal(question.answer, question.because, right);
}

void LessonKit::expect(std::string_view what, std::uint64_t expected, std::uint64_t engine) {
  compare(what, std::to_string(expected), std::to_string(engine));
}

void LessonKit::emit(Event event) {
  fold(world_, event);
  record_.emit(std::move(event));
}

void LessonKit::compare(std::string_view what, const std::string& expected, const std::string& engine) {
  ++num_checked_;
  if (expected == engine) return;
  failures_.push_back(fmt::format("\"{}\": the lesson expects {}, the engine computed {}", what, expected, engine));
}

}  // namespace kvarium
