#pragma once
// A picture in memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvarium::ui {

/// Red in the lowest byte, then green, blue, alpha (not premultiplied): IM_COL32 and a little-endian RGBA8 picture.
using Colour = std::uint32_t;

/// `height` rows of `width` pixels, top row first.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<Colour> pixels;  ///< [height][width]

  Image() = default;
  Image(int columns, int rows, Colour fill = 0)
      : width(columns),
        height(rows),
        pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), fill) {}

  Colour& at(int x, int y) { return pixels[index(x, y)]; }
  Colour at(int x, int y) const { return pixels[index(x, y)]; }
  Colour* row(int y) { return pixels.data() + index(0, y); }
  const Colour* row(int y) const { return pixels.data() + index(0, y); }

  /// Fills the part of the rectangle that lies inside.
  void fill(int x, int y, int columns, int rows, Colour colour) {
    const int left = std::max(x, 0), right = std::min(x + columns, width);
    if (left >= right) return;
    for (int line = std::max(y, 0); line < std::min(y + rows, height); ++line) {
      std::fill(row(line) + left, row(line) + right, colour);
    }
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

}  // namespace kvarium::ui
