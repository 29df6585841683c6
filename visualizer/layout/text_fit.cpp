#include "visualizer/layout/text_fit.h"

namespace kvarium::ui::layout {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string fit_text(std::string_view text, float width, const MeasureText& measure) {
  if (measure(text) <= width) return std::string(text);
  static constexpr std::string_view kEllipsis = "…";
  for (std::size_t end = text.size(); end-- > 1;) {
    if (!starts_character(text[end])) continue;
    std::string cut = std::string(text.substr(0, end)).append(kEllipsis);
    if (measure(cut) <= width) return cut;
  }
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
