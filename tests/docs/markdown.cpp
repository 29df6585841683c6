#include "tests/docs/markdown.h"

#include "tests/docs/repository.h"

namespace kvarium_test {
namespace {

bool is_fence(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string::npos && line.compare(first, 3, "```") == 0;
}

/// Calls use(line, number) for each line that is inside a fenced block, or for each that is outside.
template <typename Use>
void for_each_line(const std::string& markdown, bool inside_fence, const Use& use) {
  bool fenced = false;
  const std::vector<std::string> lines = lines_of(markdown);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_fence(lines[i])) {
      fenced = !fenced;
    } else if (fenced == inside_fence) {
      use(lines[i], i + 1);
    }
  }
}

}  // namespace

std::vector<Quoted> code_spans(const std::string& markdown) {
  std::vector<Quoted> spans;
  for_each_line(markdown, false, [&](const std::string& line, std::size_t number) {
    for (std::size_t open = line.find('`'); open != std::string::npos; open = line.find('`', open)) {
      const std::size_t close = line.find('`', open + 1);
      if (close == std::string::npos) break;
      spans.push_back({line.substr(open + 1, close - open - 1), number});
      open = close + 1;
    }
  });
  return spans;
}

std::vector<Quoted> fenced_lines(const std::string& markdown) {
  std::vector<Quoted> found;
  for_each_line(markdown, true, [&](const std::string& line, std::size_t number) { found.push_back({line, number}); });
  return found;
}

std::vector<Quoted> link_targets(const std::string& markdown) {
  std::vector<Quoted> targets;
  for_each_line(markdown, false, [&](const std::string& line, std::size_t number) {
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      const std::size_t close = line.find(')', at);
      if (close == std::string::npos) break;
      std::string target = line.substr(at + 2, close - at - 2);
      target = target.substr(0, target.find('#'));
      const bool is_web = target.find("://") != std::string::npos || starts_with(target, "mailto:");
      if (!target.empty() && !is_web) targets.push_back({target, number});
    }
  });
  return targets;
}

}  // namespace kvarium_test
