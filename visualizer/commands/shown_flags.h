#pragma once
// The flags that say what the window shows, shared by the window and the picture without one.

#include <CLI/CLI.hpp>

#include "visualizer/app/options.h"

namespace kvarium {

void add_shown_flags(CLI::App& flags, ui::ShownOptions& options);

}  // namespace kvarium
