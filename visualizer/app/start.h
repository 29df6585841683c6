#pragma once
// From options to an App that shows what they say.

#include "visualizer/app/app.h"
#include "visualizer/app/options.h"

namespace kvarium::ui {

/// Two numbers of a size "1440x900". InputError for anything else, and for less than 320x240 or more than 8192.
struct PixelSize {
  int width = 0, height = 0;
};
PixelSize parse_size(const std::string& text);

/// Sets the theme of the host and opens the scenario, lesson or trace.
void start_app(App& app, Host& host, const ShownOptions& options, bool play);

}  // namespace kvarium::ui
