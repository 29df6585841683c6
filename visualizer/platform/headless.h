#pragma once
// Frames without a display and without OpenGL: for tests, screenshots and machines without a desktop.

#include <memory>
#include <unordered_map>

#include "visualizer/platform/host.h"

namespace kvarium::ui {

/// Textures in ordinary memory; a handle is the address of its CpuTexture.
struct CpuTexture {
  Image image;
  Filter filter = Filter::smooth;
};

class CpuTextures final : public TextureBackend {
 public:
  std::uintptr_t create_texture(const Image& image, Filter filter) override;
  void update_texture(std::uintptr_t texture, const Image& image, int first_row, int rows) override;
  void destroy_texture(std::uintptr_t texture) override;
  /// nullptr when there is no such texture.
  const CpuTexture* find(std::uintptr_t texture) const;

 private:
  std::unordered_map<std::uintptr_t, std::unique_ptr<CpuTexture>> textures_;
};

/// Frames are laid out at once and drawn into pixels only when a screenshot is asked for. Each frame takes 1/60 s of
/// the program's time.
class Headless final : public Host {
 public:
  /// Size in pixels; `scale` is the screen's (2: everything is drawn twice as large).
  Headless(int width, int height, float scale = 1);
  ~Headless() override;

  void resize(int width, int height);
  Image screenshot() override;

 private:
  void upload_fonts() override;
  void begin_frame() override;
  void present() override;

  CpuTextures textures_;
  std::uintptr_t font_texture_ = 0;  ///< up to Dear ImGui 1.91
  int width_;
  int height_;
};

}  // namespace kvarium::ui
