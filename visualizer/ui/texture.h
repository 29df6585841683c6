#pragma once
// Pictures that a panel paints on the CPU and shows as one quad, on every back end. A block grid is one texture, not
// thousands of rectangles.

#include <cstdint>

#include "visualizer/platform/image.h"

struct ImDrawList;
struct ImVec2;

namespace kvarium::ui {

/// smooth: neighbouring pixels are blended when the picture is enlarged; nearest: they stay sharp squares.
enum class Filter { smooth, nearest };

/// What a back end knows about textures. Handles are never 0.
class TextureBackend {
 public:
  virtual ~TextureBackend() = default;
  virtual std::uintptr_t create_texture(const Image& image, Filter filter) = 0;
  /// Replaces rows [first_row, first_row + rows) by those of `image`, which has the size given to create_texture().
  virtual void update_texture(std::uintptr_t texture, const Image& image, int first_row, int rows) = 0;
  virtual void destroy_texture(std::uintptr_t texture) = 0;
};

/// One picture on the back end, which must outlive it. It may be moved, not copied.
class Texture {
 public:
  explicit Texture(TextureBackend& backend, Filter filter = Filter::nearest) : backend_(&backend), filter_(filter) {}
  ~Texture() { clear(); }
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&& other) noexcept;

  /// Shows `image` from now on. The first call and each change of size make a new texture.
  void set(const Image& image);
  /// Like set(), but only these rows differ from the image of the last call.
  void set_rows(const Image& image, int first_row, int rows);
  void clear();

  bool empty() const { return handle_ == 0; }
  int width() const { return width_; }
  int height() const { return height_; }
  std::uintptr_t handle() const { return handle_; }

  /// Draws the whole picture between two corners, in pixels of the screen. Draws nothing while empty.
  void draw(ImDrawList& list, const ImVec2& min, const ImVec2& max) const;

 private:
  TextureBackend* backend_;
  Filter filter_;
  std::uintptr_t handle_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace kvarium::ui
