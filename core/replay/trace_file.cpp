#include "core/replay/trace_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {

std::ifstream open_request_trace(const std::string& path) {
  std::error_code unknown;  // what cannot be looked at cannot be opened either
  if (std::filesystem::is_directory(path, unknown)) throw InputError(tr_format("{} is a folder, not a trace", path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(tr_format("{}: cannot open the trace: {}", path, std::strerror(errno == 0 ? EIO : errno)));
  }
  return file;
}

}  // namespace kvarium
