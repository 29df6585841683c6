// The window on the desktop.

#include "visualizer/platform/window.h"
#include "visualizer/app/start.h"

namespace kvarium::ui {

int run_window(const ShownOptions& options) {
  const PixelSize size = parse_size(options.size);
  WindowOptions window;
  window.width = size.width;
  window.height = size.height;
  Window host(window);
  App app(host);
  app.when_quit([&host] { host.close(); });
  host.ui().set_zoom(options.scale);
  start_app(app, host, options, true);
  host.run();
  return 0;
}

}  // namespace kvarium::ui
