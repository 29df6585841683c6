#pragma once
// A heat map as a picture of one pixel a cell, painted on the CPU when it changes and drawn as one quad.

#include <functional>
#include <memory>
#include <string>

#include "visualizer/draw/painter.h"
#include "visualizer/layout/heat_map.h"
#include "visualizer/ui/texture.h"

namespace kvarium::ui {

class HeatTexture {
 public:
  using Paint = std::function<Colour(std::uint32_t row, std::uint32_t column)>;
  /// Paints rows x columns pixels, unless `key` is that of the last call: it must change whenever a colour does.
  void update(TextureBackend& backend, const std::string& key, std::uint32_t rows, std::uint32_t columns,
              const Paint& paint);
  /// The part of it that the map shows.
  void draw(Painter& painter, const layout::HeatMap& map) const;
  /// All of it.
  void draw(Painter& painter, const layout::Rect& rect) const;
  std::size_t times_painted() const { return times_painted_; }

 private:
  std::unique_ptr<Texture> texture_;
  std::string key_;
  std::size_t times_painted_ = 0;
};

}  // namespace kvarium::ui
