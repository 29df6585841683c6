#pragma once
// Files that are written whole or not at all.

#include <string>
#include <string_view>

namespace kvarium::ui {

/// Writes the bytes to a temporary name beside `path`, then renames it. Throws InputError when the place cannot be
/// written; an older file is then as it was.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace kvarium::ui
