#pragma once
// Textures on the graphics card.

#include <memory>

#include "visualizer/ui/texture.h"

namespace kvarium::ui {

/// Textures of the current OpenGL context. Pictures up to 16,384 pixels a side work on every card of the last decade.
std::unique_ptr<TextureBackend> make_gl_textures();

}  // namespace kvarium::ui
