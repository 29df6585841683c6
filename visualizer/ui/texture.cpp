#include "visualizer/ui/texture.h"

#include <utility>

#include "visualizer/platform/im_compat.h"

namespace kvarium::ui {

Texture::Texture(Texture&& other) noexcept
    : backend_(other.backend_),
      filter_(other.filter_),
      handle_(std::exchange(other.handle_, 0)),
      width_(std::exchange(other.width_, 0)),
      height_(std::exchange(other.height_, 0)) {}

Texture& Texture::operator=(Texture&& other) noexcept {
  std::swap(backend_, other.backend_);
  std::swap(filter_, other.filter_);
  std::swap(handle_, other.handle_);
  std::swap(width_, other.width_);
  std::swap(height_, other.height_);
  return *this;
}

void Texture::set(const Image& image) { set_rows(image, 0, image.height); }

void Texture::set_rows(const Image& image, int first_row, int rows) {
  if (image.width <= 0 || image.height <= 0) return clear();
  if (handle_ != 0 && image.width == width_ && image.height == height_) {
    if (rows > 0) backend_->update_texture(handle_, image, first_row, rows);
    return;
  }
  clear();
  handle_ = backend_->create_texture(image, filter_);
  width_ = image.width;
  height_ = image.height;
}

void Texture::clear() {
  if (handle_ != 0) backend_->destroy_texture(handle_);
  handle_ = 0;
  width_ = height_ = 0;
}

void Texture::draw(ImDrawList& list, const ImVec2& min, const ImVec2& max) const {
  if (handle_ != 0) list.AddImage(compat::texture_id(handle_), min, max);
}

}  // namespace kvarium::ui
