#include "visualizer/ui/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvarium::ui {
namespace {

constexpr float channel(Colour colour, int shift) { return static_cast<float>(colour >> shift & 0xFFu); }

/// Relative luminance of WCAG 2.2: 0 black, 1 white.
double luminance(Colour colour) {
  const auto linear = [colour](int shift) {
    const double c = static_cast<double>(channel(colour, shift)) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16);
}

constexpr Theme kDark{
    .name = ThemeName::dark,
    .background = rgb(0x0E1116),
    .panel = rgb(0x151A21),
    .raised = rgb(0x1E252F),
    .hovered = rgb(0x28323F),
    .pressed = rgb(0x33404F),
    .line = rgb(0x2B3440),
    .text = rgb(0xE6EAF0),
    .dim = rgb(0x98A4B3),
    .accent = rgb(0x4CC2FF),
    .on_accent = rgb(0x07131C),
    .selected = rgb(0x143850),
    .good = rgb(0x5CD68F),
    .warning = rgb(0xF2B84B),
    .bad = rgb(0xFF8A75),
    .outline = rgb(0x5A6675),
    .grid = rgb(0x222A34),
    .cached = rgb(0x5B6470),
    .broken = rgb(0xD55E00),
};

constexpr Theme kLight{
    .name = ThemeName::light,
    .background = rgb(0xF4F6F9),
    .panel = rgb(0xFFFFFF),
    .raised = rgb(0xEAEEF3),
    .hovered = rgb(0xDDE4EC),
    .pressed = rgb(0xCCD6E2),
    .line = rgb(0xD0D7E0),
    .text = rgb(0x1B2430),
    .dim = rgb(0x4F5B6A),
    .accent = rgb(0x0860B8),
    .on_accent = rgb(0xFFFFFF),
    .selected = rgb(0xCFE4F8),
    .good = rgb(0x14683C),
    .warning = rgb(0x7A4E00),
    .bad = rgb(0xA8201A),
    .outline = rgb(0x333333),
    .grid = rgb(0xE6EAEF),
    .cached = rgb(0xBCC3CC),
    .broken = rgb(0xD55E00),
};

constexpr Colour kBlack = rgb(0x000000);
constexpr Colour kWhite = rgb(0xFFFFFF);

constexpr std::array<OwnerColours, 8> kOwners{{
    {rgb(0x56B4E9), kBlack},
    {rgb(0xE69F00), kBlack},
    {rgb(0x009E73), kBlack},
    {rgb(0xCC79A7), kBlack},
    {rgb(0xF0E442), kBlack},
    {rgb(0x0072B2), kWhite},
    {rgb(0xD55E00), kBlack},
    {rgb(0xBBBBBB), kBlack},
}};

constexpr std::array<CellStyle, kNumCellStates> kCellStyles{{
    {"free", Border::dashed, 1, Pattern::none, 0, "", 120},
    {"reserved", Border::solid, 1, Pattern::tint, 0.18F, "", 160},
    {"filled", Border::solid, 1, Pattern::solid, 1, "", 0},
    {"new this step", Border::inner, 2, Pattern::solid, 1, "", 120},
    {"read this step", Border::bottom_bar, 3, Pattern::solid, 1, "", 160},
    {"shared", Border::solid, 1, Pattern::stripes, 1, "x", 180},
    {"cached", Border::solid, 1, Pattern::hatch, 0.6F, "#", 200},
    {"pinned", Border::twofold, 1, Pattern::solid, 1, "", 0},
    {"copying", Border::marching, 1, Pattern::solid, 1, ">", 420},
    {"draft", Border::dotted, 2, Pattern::tint, 0.5F, "?", 50},
    {"stale", Border::dotted, 1, Pattern::cross_hatch, 0.3F, "x", 160},
    {"being evicted", Border::thick, 2, Pattern::drain, 1, "", 300},
    {"in DRAM", Border::left_bar, 3, Pattern::lines, 0.5F, "M", 300},
    {"on SSD", Border::left_bar, 3, Pattern::columns, 0.5F, "S", 300},
    {"in flight", Border::left_bar, 3, Pattern::chevrons, 0.5F, ">>", 300},
    {"unknown", Border::solid, 1, Pattern::dots, 0, ".", 0},
    {"breaks an invariant", Border::thick, 3, Pattern::solid, 1, "!", 0},
}};

template <std::size_t N>
Colour along(const std::array<Colour, N>& anchors, float t) {
  const float position = std::clamp(t, 0.0F, 1.0F) * static_cast<float>(N - 1);
  const auto left = std::min(static_cast<std::size_t>(position), N - 2);
  return mix(anchors[left], anchors[left + 1], position - static_cast<float>(left));
}

}  // namespace

Colour mix(Colour a, Colour b, float t) {
  Colour result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float value = channel(a, shift) + (channel(b, shift) - channel(a, shift)) * t;
    result |= static_cast<Colour>(std::clamp(value, 0.0F, 255.0F) + 0.5F) << shift;
  }
  return result;
}

Colour over(Colour top, Colour bottom) {
  return mix(bottom, top | 0xFF000000u, channel(top, 24) / 255.0F) | 0xFF000000u;
}

double contrast(Colour a, Colour b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Colour readable_on(Colour fill) { return contrast(kBlack, fill) >= contrast(kWhite, fill) ? kBlack : kWhite; }

const CellStyle& cell_style(CellState state) { return kCellStyles[static_cast<std::size_t>(state)]; }

OwnerColours Theme::owner(std::size_t index) const { return kOwners[std::min(index, kOwners.size() - 1)]; }

const Theme& theme_of(ThemeName name) { return name == ThemeName::dark ? kDark : kLight; }

std::vector<TextPair> text_pairs(const Theme& theme) {
  std::vector<TextPair> pairs;
  const std::array<std::pair<std::string_view, Colour>, 5> fills{{{"background", theme.background},
                                                                  {"panel", theme.panel},
                                                                  {"raised", theme.raised},
                                                                  {"hovered", theme.hovered},
                                                                  {"selected", theme.selected}}};
  for (const auto& [fill_name, fill] : fills) {
    pairs.push_back({fill_name, theme.text, fill});
    pairs.push_back({fill_name, theme.dim, fill});
  }
  pairs.push_back({"pressed", theme.text, theme.pressed});
  for (const Colour fill : {theme.background, theme.panel, theme.raised}) {
    pairs.push_back({"accent text", theme.accent, fill});
    pairs.push_back({"good", theme.good, fill});
    pairs.push_back({"warning", theme.warning, fill});
    pairs.push_back({"bad", theme.bad, fill});
  }
  pairs.push_back({"text on accent", theme.on_accent, theme.accent});
  pairs.push_back({"cached cell", readable_on(theme.cached), theme.cached});
  for (std::size_t owner = 0; owner < kOwners.size(); ++owner) {
    const OwnerColours colours = theme.owner(owner);
    pairs.push_back({"owner", colours.text, colours.fill});
    for (const float opacity : {0.18F, 0.5F, 0.3F, 0.6F}) {  // tinted cells: text is the theme's own
      const Colour fill = over(with_alpha(colours.fill, opacity), theme.panel);
      pairs.push_back({"tinted cell", readable_on(fill), fill});
    }
  }
  return pairs;
}

Colour viridis(float t) {
  static constexpr std::array<Colour, 9> kAnchors{{rgb(0x440154), rgb(0x472D7B), rgb(0x3B528B), rgb(0x2C728E),
                                                   rgb(0x21918C), rgb(0x28AE80), rgb(0x5EC962), rgb(0xADDC30),
                                                   rgb(0xFDE725)}};
  return along(kAnchors, t);
}

Colour diverging(float t) {
  static constexpr std::array<Colour, 5> kAnchors{
      {rgb(0x0B5394), rgb(0x6FA8DC), rgb(0xFFFFFF), rgb(0xF0A35E), rgb(0xB45309)}};
  return along(kAnchors, (t + 1) / 2);
}

}  // namespace kvarium::ui
