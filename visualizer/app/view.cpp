// A picture, or a script, without a display.

#include <fstream>
#include <iterator>
#include <sstream>

#include "core/error.h"
#include "core/trace/invariants.h"
#include "core/words/words.h"
#include "lessons/scenarios/set_parameter.h"
#include "visualizer/app/start.h"
#include "visualizer/platform/headless.h"
#include "visualizer/platform/png.h"
#include "visualizer/platform/write_file.h"
#include "visualizer/ui/driver.h"

namespace kvarium::ui {
namespace {

constexpr int kFramesToSettle = 3;  // sizes that depend on what was drawn before are right then

std::string read_script(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(tr_format("cannot read the script {}", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int tab_of(const std::string& name) {
  std::string names;
  for (std::size_t i = 0; i < std::size(kCentreTabs); ++i) {
    if (kCentreTabs[i].name == name) return static_cast<int>(i);
    names += (names.empty() ? "" : ", ") + std::string(kCentreTabs[i].name);
  }
  throw InputError(tr_format("there is no tab \"{}\"; there are {}", name, names));
}

void go_where_asked(App& app, const ViewOptions& options) {
  app.finish_run();
  if (!app.message().empty() && app.run().trace.empty()) throw InputError(app.message());
  const std::size_t steps = app.run().trace.num_steps();
  if (options.step && *options.step > steps) {
    throw InputError(tr_format("there is no step {}; the run has steps 0 to {}", *options.step, steps));
  }
  // In the last step requests end and give all back: the one before shows more. A run that ended in trouble is shown
  // where it ended.
  const bool ends_well = violations(app.run().trace.newest()).empty();
  app.go_to_step(options.step.value_or(steps > 1 && ends_well ? steps - 1 : steps));
  if (!options.tab.empty()) app.use_tab(tab_of(options.tab));
  if (!options.compare.empty()) {
    const Assignment other = parse_assignment(options.compare);
    app.compare_with(other.id, other.value);
    app.finish_run();
  }
  if (options.select.empty()) return;
  const auto target = parse_target(options.select);
  if (!target)
    throw InputError(tr_format(
        "\"{}\" names nothing; write block:3, slot:29, request:A, table:A[1], token:A[13] or node:4", options.select));
  app.select_target(*target);
}

}  // namespace

int run_view(const ViewOptions& options) {
  const PixelSize size = parse_size(options.shown.size);
  Headless host(size.width, size.height, options.shown.scale);
  App app(host);
  app.reduce_motion(options.script.empty());
  app.show_hint(false);
  start_app(app, host, options.shown, false);
  go_where_asked(app, options);
  if (options.screenshot.empty() && options.dump_ui.empty() && options.script.empty()) {
    throw InputError(
        std::string(tr("view shows nothing by itself: give --screenshot, --dump-ui or --script with a file; "
                       "the window opens without view: kvarium --scenario S02")));
  }
  for (int i = 0; i < kFramesToSettle; ++i) host.frame();
  app.finish_run();  // what the tab that is shown asked for
  for (int i = 0; i < kFramesToSettle; ++i) host.frame();
  if (!options.script.empty()) {
    Driver(host).run(read_script(options.script), options.script);
    app.finish_run();
    for (int i = 0; i < kFramesToSettle; ++i) host.frame();
  }
  if (!options.screenshot.empty()) write_png(options.screenshot, host.screenshot());
  if (!options.dump_ui.empty()) write_file(options.dump_ui, host.ui().registry.dump());
  return 0;
}

}  // namespace kvarium::ui
