#include "visualizer/platform/headless.h"

#include <algorithm>

#include "core/error.h"
#include "visualizer/platform/im_compat.h"
#include "visualizer/platform/rasterizer.h"

namespace kvarium::ui {

std::uintptr_t CpuTextures::create_texture(const Image& image, Filter filter) {
  auto texture = std::make_unique<CpuTexture>(CpuTexture{image, filter});
  const auto handle = reinterpret_cast<std::uintptr_t>(texture.get());
  textures_.emplace(handle, std::move(texture));
  return handle;
}

void CpuTextures::update_texture(std::uintptr_t texture, const Image& image, int first_row, int rows) {
  Image& mine = textures_.at(texture)->image;
  for (int y = std::max(first_row, 0); y < std::min(first_row + rows, mine.height); ++y) {
    std::copy(image.row(y), image.row(y) + mine.width, mine.row(y));
  }
}

void CpuTextures::destroy_texture(std::uintptr_t texture) { textures_.erase(texture); }

const CpuTexture* CpuTextures::find(std::uintptr_t texture) const {
  const auto found = textures_.find(texture);
  return found == textures_.end() ? nullptr : found->second.get();
}

Headless::Headless(int width, int height, float scale) : width_(width), height_(height) {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendPlatformName = "kvarium headless";
  compat::announce_renderer(io);
  compat::init_keys(io);
  make_ui(textures_);
  ui().set_content_scale(scale);
}

Headless::~Headless() {
  destroy_ui();
  compat::release_textures();
}

void Headless::resize(int width, int height) {
  width_ = width;
  height_ = height;
}

void Headless::upload_fonts() { font_texture_ = compat::upload_fonts(textures_, font_texture_); }

void Headless::present() { compat::serve_textures(textures_); }

void Headless::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width_), static_cast<float>(height_));
  io.DeltaTime = 1.0F / 60;
}

Image Headless::screenshot() {
  const ImDrawData* data = ImGui::GetDrawData();
  if (data == nullptr) throw MisuseError("a screenshot was asked for before the first frame");
  Image image(width_, height_, ui().theme().background);
  draw_on_cpu(*data, textures_, image);
  return image;
}

}  // namespace kvarium::ui
