#pragma once
// The whole window without a display, for tests: real frames, real keys, real clicks on things by their id.

#include <string>

#include "visualizer/app/app.h"
#include "visualizer/platform/headless.h"
#include "visualizer/ui/driver.h"

namespace kvarium::ui {

/// The window with a scenario that has run to its end, at the start of it.
struct OpenWindow {
  explicit OpenWindow(const std::string& scenario = "S02") {
    app.reduce_motion(true);
    app.show_hint(false);
    app.show_scenario(scenario);
    app.start(false);
    settle();
  }
  /// The engine's work is done and drawn.
  void settle() {
    host.frame();
    app.finish_run();
    for (int i = 0; i < 3; ++i) host.frame();
  }
  std::size_t position() const { return app.run().player.position(); }
  std::uint64_t step() const { return app.run().player.world().step; }
  const World& world() const { return app.run().player.world(); }

  Headless host{1440, 900};
  App app{host};
  Driver driver{host};
};

}  // namespace kvarium::ui
