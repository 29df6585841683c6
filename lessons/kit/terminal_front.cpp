#include "lessons/kit/terminal_front.h"

#include <algorithm>

#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::size_t kReadableWidth = 88;  // longer lines are hard to read, however wide the terminal is
constexpr const char* kPlainInk = "\x1b[0m";

}  // namespace

void TerminalFront::print(const std::string& text, Ink ink) {
  const std::string& shown = can_.utf8 ? text : to_ascii(text);
  static constexpr const char* kInks[] = {"", "\x1b[1m", "\x1b[36m", "\x1b[1;33m", "\x1b[32m", "\x1b[33m", "\x1b[2m"};
  const char* colour = can_.colour ? kInks[static_cast<std::size_t>(ink)] : "";
  out_ << colour << shown << (*colour == '\0' ? "" : kPlainInk);
}

void TerminalFront::paragraph(const std::string& text, Ink ink) {
  print(wrap(text, std::min(can_.width, kReadableWidth)), ink);
}

void TerminalFront::title(const std::string& text) {
  print(text + '\n', Ink::title);
  print(std::string(std::min(columns(text), can_.width), '=') + "\n\n", Ink::title);
  if (can_.interactive) paragraph(std::string(tr("Enter goes on, q and Enter leaves.")), Ink::hint);
}

void TerminalFront::say(const std::string& text) {
  paragraph(text, Ink::plain);
  if (can_.interactive) {
    wait_for_enter();
  } else {
    out_ << '\n';
  }
}

void TerminalFront::show(const std::string& figure) {
  std::string indented = "    ";
  for (const char c : figure) {
    indented += c;
    if (c == '\n') indented += "    ";
  }
  indented.erase(indented.find_last_not_of(" \n") + 1);
  print(indented + "\n\n", Ink::figure);
}

std::optional<std::string> TerminalFront::ask(const std::string& question, const std::vector<std::string>& choices) {
  paragraph("? " + question, Ink::question);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    print(std::string("  ") + static_cast<char>('a' + i) + ") " + choices[i] + '\n', Ink::question);
  }
  if (!can_.interactive) return std::nullopt;
  print(std::string(tr("Your answer (Enter: just show me): ")), Ink::hint);
  return read_line();
}

void TerminalFront::reveal(const std::string& answer, const std::string& because, std::optional<bool> right) {
  if (!right) {
    paragraph(tr_format("Answer: {}. {}", answer, because), Ink::plain);
  } else if (*right) {
    paragraph(tr_format("Right: {}. {}", answer, because), Ink::right);
  } else {
    paragraph(tr_format("Not quite: it is {}. {}", answer, because), Ink::wrong);
  }
  if (can_.interactive) {
    wait_for_enter();
  } else {
    out_ << '\n';
  }
}

std::string TerminalFront::read_line() {
  out_.flush();
  std::string line;
  if (!std::getline(in_, line)) {
    out_ << '\n';
    throw LessonLeft{};
  }
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (line == "q" || line == "Q") throw LessonLeft{};
  return line;
}

void TerminalFront::wait_for_enter() {
  print(std::string(tr("[Enter]")), Ink::hint);
  read_line();
  out_ << '\n';
}

}  // namespace kvarium
