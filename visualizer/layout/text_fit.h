#pragma once
// Text that fits its place: cut at a character, never in the middle of one, and marked as cut.

#include <functional>
#include <string>
#include <string_view>

namespace kvarium::ui::layout {

/// Width of a text in pixels, as the font in use draws it.
using MeasureText = std::function<float(std::string_view)>;

/// `text` if it fits into `width` pixels, else its longest beginning that fits together with "…"; empty when not even
/// that fits. `text` is valid UTF-8.
std::string fit_text(std::string_view text, float width, const MeasureText& measure);

/// How a token is shown in a cell: white space is made visible ("▁" is drawn as a leading "·", a line end as "\n").
std::string visible_token(std::string_view token);

}  // namespace kvarium::ui::layout
