#pragma once
// All colours of the window, and nothing else that knows colours. Fill hue says who owns a thing; border, pattern and
// glyph say what state it is in; so nothing is told by hue alone.

#include <string_view>
#include <vector>

#include "visualizer/platform/image.h"

namespace kvarium::ui {

/// 0xRRGGBB as an opaque Colour, or with another opacity (0: clear, 255: solid).
constexpr Colour rgb(std::uint32_t hex, std::uint32_t alpha = 255) {
  return (alpha << 24) | ((hex & 0xFFu) << 16) | (hex & 0xFF00u) | (hex >> 16 & 0xFFu);
}
constexpr Colour with_alpha(Colour colour, float opacity) {
  return (colour & 0x00FFFFFFu) | (static_cast<Colour>(opacity * 255.0F + 0.5F) << 24);
}
/// a at t = 0, b at t = 1, each channel in a straight line between.
Colour mix(Colour a, Colour b, float t);
/// `top` drawn over the opaque colour `bottom`.
Colour over(Colour top, Colour bottom);

/// Contrast of two opaque colours, 1 (equal) to 21 (black on white): WCAG 2.2, "contrast ratio".
double contrast(Colour a, Colour b);
/// Black or white, whichever is easier to read on the fill.
Colour readable_on(Colour fill);

enum class ThemeName { dark, light };

/// How an owner's things are filled, and the colour of text on them.
struct OwnerColours {
  Colour fill;
  Colour text;
};

/// What a cell of the cache can be in. The picture of each is cell_style().
enum class CellState {
  free,
  reserved,
  filled,
  fresh,  ///< written in this step
  read,   ///< read in this step
  shared,
  cached,
  pinned,
  copying,
  draft,
  stale,
  evicting,
  dram,
  ssd,
  in_flight,
  unknown,
  broken,
};
constexpr int kNumCellStates = static_cast<int>(CellState::broken) + 1;

enum class Border { none, solid, dashed, dotted, inner, twofold, thick, marching, bottom_bar, left_bar };
enum class Pattern { none, tint, solid, stripes, hatch, cross_hatch, lines, columns, chevrons, dots, drain };

struct CellStyle {
  std::string_view name;  ///< English, through tr() before it is shown
  Border border;
  float border_width;  ///< logical pixels
  Pattern pattern;
  float opacity;           ///< of the owner's hue
  std::string_view glyph;  ///< drawn in the cell; empty: none
  int entry_ms;            ///< how long the change into this state is animated at speed 1
};

const CellStyle& cell_style(CellState state);

struct Theme {
  ThemeName name;
  Colour background;  ///< behind the panels
  Colour panel;       ///< a panel
  Colour raised;      ///< buttons, inputs, cards on a panel
  Colour hovered;     ///< a raised thing under the mouse
  Colour pressed;     ///< a raised thing held down
  Colour line;        ///< borders and rules
  Colour text;
  Colour dim;  ///< secondary text
  Colour accent;
  Colour on_accent;           ///< text on accent
  Colour selected;            ///< fill of a selected row, tab or chip; text stays `text`
  Colour good, warning, bad;  ///< as text; always with a glyph or a word
  Colour outline;             ///< around cells
  Colour grid;                ///< faint rules of charts
  Colour cached;              ///< fill of a cached cell that nobody owns
  Colour broken;              ///< border of what violates an invariant

  /// Owner i: the eight hues of Okabe and Ito that stay apart for colour-blind readers, then grey; always with a
  /// letter.
  OwnerColours owner(std::size_t index) const;
};

const Theme& theme_of(ThemeName name);

/// A text colour and the fill that it is printed on.
struct TextPair {
  std::string_view use;
  Colour text;
  Colour fill;
};
/// Every pair that the program uses; the tests hold each to a contrast of 4.5.
std::vector<TextPair> text_pairs(const Theme& theme);

/// Sequential scale for heat maps, t in [0, 1]: dark violet to yellow (after matplotlib's viridis).
Colour viridis(float t);
/// Two-sided scale, t in [-1, 1]: blue, white, orange.
Colour diverging(float t);

/// Sets Dear ImGui's style of the current context: sizes in logical pixels times `scale`, colours of the theme.
void apply_style(const Theme& theme, float scale);

}  // namespace kvarium::ui
