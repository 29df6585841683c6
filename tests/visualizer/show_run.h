#pragma once
// A run of the engine in the window.

#include <filesystem>

#include "core/trace/trace_io.h"
#include "tests/support/engine_bench.h"
#include "tests/support/temp_path.h"
#include "tests/visualizer/open_window.h"

namespace kvarium_test {

/// The window opens a recording of all that the bench's engine announced.
inline void show_run(kvarium::ui::OpenWindow& window, const Bench& bench) {
  const std::string path = temp_path("run.jsonl").string();
  Trace trace;
  for (const Event& event : bench.sink.events) trace.emit(event);
  write_trace(path, trace);
  window.app.show_trace(path);
  std::filesystem::remove(path);
  window.driver.wait(2);
}

}  // namespace kvarium_test
