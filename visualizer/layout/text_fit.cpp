#include "visualizer/layout/text_fit.h"

#include <algorithm>
#include <vector>

namespace kvarium::ui::layout {
namespace {

constexpr std::size_t kLongest = 1024;  // bytes: no line of the window shows more

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string fit_text(std::string_view text, float width, const MeasureText& measure) {
  if (measure(text) <= width) return std::string(text);
  static constexpr std::string_view kEllipsis = "…";
  std::vector<std::size_t> ends;  // where the text may be cut, shortest first
  for (std::size_t end = 1; end < std::min(text.size(), kLongest); ++end) {
    if (starts_character(text[end])) ends.push_back(end);
  }
  const auto cut_at = [&](std::size_t end) { return std::string(text.substr(0, end)).append(kEllipsis); };
  const auto too_long =
      std::partition_point(ends.begin(), ends.end(), [&](std::size_t end) { return measure(cut_at(end)) <= width; });
  if (too_long != ends.begin()) return cut_at(*(too_long - 1));
  return measure(kEllipsis) <= width ? std::string(kEllipsis) : std::string();
}

std::string visible_token(std::string_view token) {
  static constexpr std::string_view kSentencePieceSpace = "▁";
  std::string shown;
  for (std::size_t i = 0; i < token.size();) {
    if (token.substr(i, kSentencePieceSpace.size()) == kSentencePieceSpace) {
      shown += "·";
      i += kSentencePieceSpace.size();
      continue;
    }
    switch (token[i]) {
      case ' ':
        shown += "·";
        break;
      case '\n':
        shown += "\\n";
        break;
      case '\t':
        shown += "\\t";
        break;
      case '\r':
        shown += "\\r";
        break;
      default:
        shown += token[i];
    }
    ++i;
  }
  return shown;
}

}  // namespace kvarium::ui::layout
