#include "visualizer/platform/png.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace kvarium::ui {

void write_png(const std::string& path, const Image& image) {
  if (image.width <= 0 || image.height <= 0) throw InputError(fmt::format("{}: the picture is empty", path));
  const std::string temporary = path + ".part";
  const auto fail = [&](int reason) {
    std::remove(temporary.c_str());
    throw InputError(fmt::format("{}: cannot write the picture: {}", path, std::strerror(reason)));
  };
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) fail(errno);
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::ofstream*>(context)->write(static_cast<const char*>(data), size);
  };
  stbi_write_png_compression_level = 6;
  const int done = stbi_write_png_to_func(append, &file, image.width, image.height, 4, image.pixels.data(),
                                          image.width * static_cast<int>(sizeof(Colour)));
  file.close();
  if (done == 0 || !file) fail(errno != 0 ? errno : EIO);
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail(error.value());
}

}  // namespace kvarium::ui
