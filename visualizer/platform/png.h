#pragma once
// Pictures to files.

#include <string>

#include "visualizer/platform/image.h"

namespace kvarium::ui {

/// Writes the image as a PNG file: to a temporary name beside it, then renamed, so that nobody sees half a file.
/// Throws InputError when the picture is empty or the place cannot be written; an older file is then as it was.
void write_png(const std::string& path, const Image& image);

}  // namespace kvarium::ui
