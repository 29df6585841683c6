#include "visualizer/app/start.h"

#include <cstdio>

#include "core/error.h"
#include "core/words/words.h"
#include "lessons/scenarios/set_parameter.h"

namespace kvarium::ui {

PixelSize parse_size(const std::string& text) {
  PixelSize size;
  char after = 0;
  const int read = std::sscanf(text.c_str(), "%5dx%5d%c", &size.width, &size.height, &after);
  if (read != 2 || size.width < 320 || size.height < 240 || size.width > 8192 || size.height > 8192) {
    throw InputError(tr_format("\"{}\" is no size; write it as 1440x900, from 320x240 to 8192x8192", text));
  }
  return size;
}

void start_app(App& app, Host& host, const ShownOptions& options, bool play) {
  if (options.theme != "dark" && options.theme != "light") {
    throw InputError(tr_format("there is no theme \"{}\"; there are dark and light", options.theme));
  }
  if (!(options.scale >= 0.5F && options.scale <= 4.0F)) {
    throw InputError(tr_format("scale is {}; it must be 0.5 to 4", options.scale));
  }
  host.ui().set_theme(options.theme == "light" ? ThemeName::light : ThemeName::dark);
  if (!options.trace.empty()) return app.show_trace(options.trace);
  if (!options.lesson.empty()) return app.show_lesson(options.lesson);
  app.show_scenario(options.scenario);
  for (const std::string& assignment : options.set) {
    const auto [id, value] = parse_assignment(assignment);
    app.set_parameter(id, value);
  }
  app.start(play);
  if (!app.form_error().empty()) throw InputError(app.form_error());
}

}  // namespace kvarium::ui
