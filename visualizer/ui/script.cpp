// Scripts of the driver: one command a line, words separated by spaces, "in quotes" when a word has spaces.

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "visualizer/ui/driver.h"

namespace kvarium::ui {
namespace {

using Words = std::vector<std::string>;

char escaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c; }

/// The words of a line up to a # outside quotes. In quotes, \" \\ \n and \t stand for what they say.
Words split(std::string_view line) {
  Words words;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == '#') break;
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    std::string word;
    if (line[at] == '"') {
      for (++at; at < line.size() && line[at] != '"'; ++at) {
        const bool escape = line[at] == '\\' && at + 1 < line.size();
        if (escape) ++at;
        word += escape ? escaped(line[at]) : line[at];
      }
      if (at == line.size()) throw InputError("a quote is not closed");
      ++at;
    } else {
      while (at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != '\r') word += line[at++];
    }
    words.push_back(std::move(word));
  }
  return words;
}

float number(const std::string& word) {
  char* end = nullptr;
  const float value = std::strtof(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !(value > -1e6F && value < 1e6F)) {
    throw InputError(fmt::format("\"{}\" is no number between -1,000,000 and 1,000,000", word));
  }
  return value;
}

int whole_number(const std::string& word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > 100'000) {
    throw InputError(fmt::format("\"{}\" is no whole number between 0 and 100,000", word));
  }
  return value;
}

struct Verb {
  std::string_view name;
  std::size_t least, most;  ///< words after the verb
  void (*run)(Driver&, const Words&);
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> kVerbs{
      {"wait", 1, 1, [](Driver& d, const Words& w) { d.wait(whole_number(w[1])); }},
      {"click", 1, 1, [](Driver& d, const Words& w) { d.click(w[1]); }},
      {"right_click", 1, 1, [](Driver& d, const Words& w) { d.click(w[1], 1); }},
      {"double_click", 1, 1, [](Driver& d, const Words& w) { d.double_click(w[1]); }},
      {"hover", 1, 1, [](Driver& d, const Words& w) { d.hover(w[1]); }},
      {"drag", 3, 3, [](Driver& d, const Words& w) { d.drag(w[1], number(w[2]), number(w[3])); }},
      {"drag_by", 3, 3, [](Driver& d, const Words& w) { d.drag_by(w[1], number(w[2]), number(w[3])); }},
      {"wheel", 2, 2, [](Driver& d, const Words& w) { d.wheel(w[1], number(w[2])); }},
      {"key", 1, 1, [](Driver& d, const Words& w) { d.key(w[1]); }},
      {"type", 1, 1, [](Driver& d, const Words& w) { d.type(w[1]); }},
      {"expect", 1, 2, [](Driver& d, const Words& w) { w.size() == 2 ? d.expect(w[1]) : d.expect(w[1], w[2]); }},
      {"expect_gone", 1, 1, [](Driver& d, const Words& w) { d.expect_gone(w[1]); }},
      {"expect_disabled", 1, 1, [](Driver& d, const Words& w) { d.expect_disabled(w[1]); }},
      {"screenshot", 1, 1, [](Driver& d, const Words& w) { d.screenshot(w[1]); }},
      {"dump", 1, 1, [](Driver& d, const Words& w) { d.dump(w[1]); }},
  };
  return kVerbs;
}

void run_command(Driver& driver, const Words& words) {
  for (const Verb& verb : verbs()) {
    if (verb.name != words[0]) continue;
    const std::size_t given = words.size() - 1;
    if (given < verb.least || given > verb.most) {
      throw InputError(fmt::format("\"{}\" takes {} to {} words, not {}", verb.name, verb.least, verb.most, given));
    }
    verb.run(driver, words);
    return;
  }
  throw InputError(fmt::format("\"{}\" is no command; the commands are:\n{}", words[0], Driver::commands()));
}

}  // namespace

std::string_view Driver::commands() {
  return "wait FRAMES                draw so many frames\n"
         "click THING                also right_click, double_click\n"
         "hover THING                rest on it until its tooltip shows\n"
         "drag THING FROM TO         fractions of its width, 0 to 1\n"
         "drag_by THING RIGHT DOWN   logical pixels\n"
         "wheel THING NOTCHES        turn the wheel over it\n"
         "key CHORD                  Space, Ctrl+K, ?\n"
         "type TEXT                  into the field that has the keyboard\n"
         "expect THING [VALUE]       it is visible (and has this value or caption)\n"
         "expect_gone THING\n"
         "expect_disabled THING\n"
         "screenshot FILE.png\n"
         "dump FILE                  what is on the screen, a JSON object a line\n"
         "quit\n";
}

bool Driver::run(std::string_view script, std::string_view source) {
  int line_number = 0;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(std::min(end + 1, script.size()));
    ++line_number;
    const auto place = [&](const char* what) { return fmt::format("{}:{}: {}", source, line_number, what); };
    try {
      const Words words = split(line);
      if (words.empty()) continue;
      if (words[0] == "quit") return false;
      run_command(*this, words);
    } catch (const ScriptFailed& failure) {
      throw ScriptFailed(place(failure.what()));
    } catch (const InputError& error) {
      throw InputError(place(error.what()));
    }
  }
  return true;
}

}  // namespace kvarium::ui
