#include "visualizer/draw/heat_texture.h"

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {

void HeatTexture::update(TextureBackend& backend, const std::string& key, std::uint32_t rows, std::uint32_t columns,
                         const Paint& paint) {
  if (texture_ && key == key_) return;
  if (!texture_) texture_ = std::make_unique<Texture>(backend, Filter::nearest);
  Image image(static_cast<int>(columns), static_cast<int>(rows), 0);
  for (std::uint32_t r = 0; r < rows; ++r) {
    Colour* pixels = image.row(static_cast<int>(r));
    for (std::uint32_t c = 0; c < columns; ++c) pixels[c] = paint(r, c);
  }
  texture_->set(image);
  key_ = key;
  ++times_painted_;
}

void HeatTexture::draw(Painter& painter, const layout::HeatMap& map) const {
  painter.clip(map.area);
  draw(painter, map.whole());
  painter.pop_clip();
}

void HeatTexture::draw(Painter& painter, const layout::Rect& rect) const {
  if (texture_) texture_->draw(painter.list(), {rect.x, rect.y}, {rect.right(), rect.bottom()});
}

}  // namespace kvarium::ui
