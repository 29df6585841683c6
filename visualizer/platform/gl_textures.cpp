#include "visualizer/platform/gl_textures.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#ifndef GL_CLAMP_TO_EDGE  // the headers of some systems stop at OpenGL 1.1
#define GL_CLAMP_TO_EDGE 0x812F
#endif

namespace kvarium::ui {
namespace {

class GlTextures final : public TextureBackend {
 public:
  std::uintptr_t create_texture(const Image& image, Filter filter) override {
    GLuint name = 0;
    const Kept kept;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    const GLint how = filter == Filter::nearest ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, how);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, how);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 image.pixels.data());
    return name;
  }

  void update_texture(std::uintptr_t texture, const Image& image, int first_row, int rows) override {
    const int first = std::max(first_row, 0), last = std::min(first_row + rows, image.height);
    if (first >= last) return;
    const Kept kept;
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture));
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, first, image.width, last - first, GL_RGBA, GL_UNSIGNED_BYTE, image.row(first));
  }

  void destroy_texture(std::uintptr_t texture) override {
    const auto name = static_cast<GLuint>(texture);
    glDeleteTextures(1, &name);
  }

 private:
  /// Restores the bound texture when it goes.
  struct Kept {
    GLint name = 0;
    Kept() { glGetIntegerv(GL_TEXTURE_BINDING_2D, &name); }
    ~Kept() { glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(name)); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
  };
};

}  // namespace

std::unique_ptr<TextureBackend> make_gl_textures() { return std::make_unique<GlTextures>(); }

}  // namespace kvarium::ui
