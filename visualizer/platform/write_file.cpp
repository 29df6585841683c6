#include "visualizer/platform/write_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace kvarium::ui {

void write_file(const std::string& path, std::string_view bytes) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    // The rename below would put a file in the place of a device or a pipe.
    throw InputError(fmt::format("{}: is no regular file, and would be replaced: choose another name", path));
  }
  const std::string temporary = path + ".part";
  const auto fail = [&](int reason) {
    std::remove(temporary.c_str());
    throw InputError(fmt::format("{}: cannot write the file: {}", path, std::strerror(reason)));
  };
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) fail(errno != 0 ? errno : EIO);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) fail(errno != 0 ? errno : EIO);
  std::filesystem::rename(temporary, path, error);
  if (error) fail(error.value());
}

}  // namespace kvarium::ui
