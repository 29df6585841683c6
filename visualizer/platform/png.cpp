#include "visualizer/platform/png.h"

#include <fmt/format.h>

#include "core/error.h"
#include "visualizer/platform/write_file.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace kvarium::ui {

void write_png(const std::string& path, const Image& image) {
  if (image.width <= 0 || image.height <= 0) throw InputError(fmt::format("{}: the picture is empty", path));
  std::string bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  stbi_write_png_compression_level = 5;
  stbi_write_force_png_filter = 2;  // "up": flat panels and vertical edges become zeros, and nothing is tried twice
  const int row_bytes = image.width * static_cast<int>(sizeof(Colour));
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.pixels.data(), row_bytes) == 0) {
    throw InputError(fmt::format("{}: there is no memory for a picture of {} x {}", path, image.width, image.height));
  }
  write_file(path, bytes);
}

}  // namespace kvarium::ui
