#pragma once
// A text that a command reads whole.

#include <string>

namespace kvarium {

/// The bytes of the file or pipe. InputError when it cannot be read or has more than 256 MiB.
std::string read_text_file(const std::string& path);

}  // namespace kvarium
