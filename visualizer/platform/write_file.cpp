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
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail(error.value());
}

}  // namespace kvarium::ui
