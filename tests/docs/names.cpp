#include "tests/docs/names.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tests/docs/markdown.h"

namespace kvarium_test {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool has_any(const std::string& text, const char* characters) {
  return text.find_first_of(characters) != std::string::npos;
}

/// The words of a text: the longest runs of letters, digits and _.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

/// The options of a text: "--" and what follows, up to the first character that no option has.
std::vector<std::string> options_of(const std::string& text) {
  std::vector<std::string> options;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && (is_word(text[end]) || text[end] == '-')) ++end;
    if (end > at + 2 && text[at + 2] != '-') options.push_back(text.substr(at, end - at));
  }
  return options;
}

/// ModelRunner, not Model: a capital, later a small letter, later a capital.
bool is_camel_case(const std::string& word) {
  if (word.empty() || !is_upper(word[0])) return false;
  const auto small = std::find_if(word.begin(), word.end(), [](char c) { return !is_upper(c); });
  return std::find_if(small, word.end(), is_upper) != word.end();
}

bool is_constant_name(const std::string& word) { return word.size() > 2 && word[0] == 'k' && is_upper(word[1]); }

/// "core/ids.h:12" -> "core/ids.h"; "./run" -> "run".
std::string plain_path(const std::string& text) {
  std::string path = text.substr(0, text.find(':'));
  if (starts_with(path, "./")) path = path.substr(2);
  return path;
}

bool is_path_elsewhere(const std::string& text) {
  return starts_with(text, "/") || starts_with(text, "~") || starts_with(text, "..") || starts_with(text, "build/");
}

bool has_source_ending(const std::string& text) {
  return is_source(text) || ends_with(text, ".md") || ends_with(text, ".cmake") || ends_with(text, ".sh") ||
         text == "CMakeLists.txt" || text == "CMakePresets.json";
}

bool is_command(const std::string& text) {
  return starts_with(text, "kvarium ") || starts_with(text, "build/release/kvarium ") || starts_with(text, "./run ") ||
         starts_with(text, "./test ");
}

/// Two digits, _ and a name: "04_paged_blocks".
bool is_lesson(const std::string& text) {
  return text.size() > 3 && is_digit(text[0]) && is_digit(text[1]) && text[2] == '_' &&
         std::all_of(text.begin(), text.end(), is_word);
}

bool is_symbol(const std::string& text) {
  if (text.empty() || is_digit(text[0]) || has_any(text, " =<>*&|\"'+/$")) return false;
  const std::string head = text.substr(0, text.find('('));  // slot_of(pos): the arguments are not judged
  const bool is_call = ends_with(text, "()");
  for (const std::string& word : words_of(head)) {
    if (is_camel_case(word) || is_constant_name(word) || word.find('_') != std::string::npos) return true;
  }
  return is_call || head.find("::") != std::string::npos;
}

bool is_of_a_library(const std::string& symbol) {
  static const std::vector<std::string> kLibraries = {"std::", "Eigen::", "ImGui::", "Catch::", "fmt::"};
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](const std::string& start) { return starts_with(symbol, start); });
}

}  // namespace

NameKind kind_of(const std::string& text) {
  if (starts_with(text, "--")) return NameKind::option;
  if (is_command(text)) return NameKind::command;
  if (is_path_elsewhere(text) || text.empty()) return NameKind::none;
  const bool is_path_like = !has_any(text, " =<>*&|\"'+()$,;{}[]^\\");
  if (is_path_like && text.find('/') != std::string::npos) return NameKind::path;
  if (is_path_like && has_source_ending(plain_path(text))) return NameKind::file_name;
  if (is_lesson(text)) return NameKind::lesson;
  if (is_symbol(text) && !is_of_a_library(text)) return NameKind::symbol;
  return NameKind::none;
}

KnownNames::KnownNames(const Repository& repository) : repository_(repository) {
  for (const TextFile& file : repository.files) {
    file_names_.insert(file.path.substr(file.path.rfind('/') + 1));
    if (ends_with(file.path, ".md") || starts_with(file.path, "tests/docs/")) continue;  // they only talk about names
    for (std::string& word : words_of(file.text)) identifiers_.insert(std::move(word));
    for (std::string& option : options_of(file.text)) options_.insert(std::move(option));
  }
}

bool KnownNames::has_symbol(const std::string& text) const {
  const std::vector<std::string> words = words_of(text.substr(0, text.find('(')));
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return identifiers_.contains(word); });
}

bool KnownNames::has_options_of(const std::string& command) const {
  const std::vector<std::string> options = options_of(command);
  return std::all_of(options.begin(), options.end(),
                     [&](const std::string& option) { return options_.contains(option); });
}

bool KnownNames::exists(NameKind kind, const std::string& text) const {
  switch (kind) {
    case NameKind::path:
      return repository_.has(plain_path(text));
    case NameKind::file_name:
      return file_names_.contains(plain_path(text));
    case NameKind::lesson:
      return file_names_.contains(text + ".cpp");
    case NameKind::symbol:
      return has_symbol(text);
    case NameKind::option:
    case NameKind::command:
      return has_options_of(text);
    case NameKind::none:
      return true;
  }
  return false;
}

std::vector<std::string> KnownNames::missing_from(const TextFile& document) const {
  std::vector<std::string> sentences;
  const auto complain = [&](const Quoted& quoted, const char* what) {
    sentences.push_back(document.path + ":" + std::to_string(quoted.line) + ": `" + quoted.text + "`: " + what);
  };
  for (const Quoted& span : code_spans(document.text)) {
    const NameKind kind = kind_of(span.text);
    if (exists(kind, span.text)) continue;
    if (kind == NameKind::path) complain(span, "no such path (is it none? then write it without backticks)");
    if (kind == NameKind::file_name || kind == NameKind::lesson) complain(span, "no such file");
    if (kind == NameKind::symbol) complain(span, "no source has this name");
    if (kind == NameKind::option || kind == NameKind::command) complain(span, "no source or script has this option");
  }
  for (const Quoted& line : fenced_lines(document.text)) {
    if (is_command(line.text) && !has_options_of(line.text)) complain(line, "no source or script has this option");
  }
  const std::string folder = document.path.substr(0, document.path.rfind('/') + 1);
  for (const Quoted& target : link_targets(document.text)) {
    if (!repository_.has(folder + target.text)) complain(target, "the link leads nowhere");
  }
  return sentences;
}

}  // namespace kvarium_test
