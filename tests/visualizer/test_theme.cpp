// Every text can be read on its fill, and nothing is told by hue alone.

#include <set>
#include <string>

#include "tests/support/catch.h"
#include "visualizer/ui/theme.h"

namespace kvarium::ui {

TEST_CASE("contrast is that of WCAG: 21 for black on white, 1 for equal colours") {
  CHECK(contrast(rgb(0x000000), rgb(0xFFFFFF)) == kvarium_test::Approx(21.0).margin(1e-9));
  CHECK(contrast(rgb(0x123456), rgb(0x123456)) == kvarium_test::Approx(1.0).margin(1e-9));
  // 4.54 to two digits: the darkest grey that still passes on white is a known example of the standard
  CHECK(contrast(rgb(0x767676), rgb(0xFFFFFF)) == kvarium_test::Approx(4.54).margin(0.005));
}

TEST_CASE("every text of both themes has a contrast of at least 4.5 on its fill") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light}) {
    for (const TextPair& pair : text_pairs(theme_of(name))) {
      INFO((name == ThemeName::dark ? "dark: " : "light: ")
           << pair.use << " " << std::hex << pair.text << " on " << pair.fill);
      CHECK(contrast(pair.text, pair.fill) >= 4.5);
    }
  }
}

TEST_CASE("the letters of owners are black or white, whichever reads better") {
  for (std::size_t owner = 0; owner < 10; ++owner) {
    const OwnerColours colours = theme_of(ThemeName::dark).owner(owner);
    CHECK(colours.text == readable_on(colours.fill));
  }
}

TEST_CASE("no two states of a cell look alike without hue") {
  std::set<std::string> looks, names;
  for (int i = 0; i < kNumCellStates; ++i) {
    const CellStyle& style = cell_style(static_cast<CellState>(i));
    INFO(style.name);
    CHECK(looks
              .insert(std::to_string(static_cast<int>(style.border)) + " " + std::to_string(style.border_width) + " " +
                      std::to_string(static_cast<int>(style.pattern)) + " " + std::string(style.glyph))
              .second);
    CHECK(names.insert(std::string(style.name)).second);
  }
}

TEST_CASE("mixing and laying over meet their ends") {
  CHECK(mix(rgb(0x102030), rgb(0xF0E0D0), 0) == rgb(0x102030));
  CHECK(mix(rgb(0x102030), rgb(0xF0E0D0), 1) == rgb(0xF0E0D0));
  CHECK(mix(rgb(0x000000), rgb(0xFEFEFE), 0.5F) == rgb(0x7F7F7F));
  CHECK(over(with_alpha(rgb(0xFF0000), 0), rgb(0x336699)) == rgb(0x336699));
  CHECK(over(rgb(0xFF0000), rgb(0x336699)) == rgb(0xFF0000));
  CHECK(viridis(0) == rgb(0x440154));
  CHECK(viridis(1) == rgb(0xFDE725));
  CHECK(diverging(0) == rgb(0xFFFFFF));
}

}  // namespace kvarium::ui
