#pragma once
// Where the commands get a trace from: a scenario that is run now, a lesson, or a file.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "lessons/scenarios/scenario.h"

namespace kvarium {

struct TraceSource {
  std::string scenario;
  std::vector<std::string> set;  ///< "block_size=4": parameters of the scenario
  std::string lesson;
  std::string file;
};

/// The scenario's own, with what is set. InputError for a scenario or a parameter that there is not.
ScenarioParams params_of(const TraceSource& source);
/// Runs or reads it. What is left out of a torn file is said on standard error. InputError when none is named.
std::unique_ptr<Trace> load_trace(const TraceSource& source);
/// The same for a file alone.
std::unique_ptr<Trace> load_trace_file(const std::string& path);
/// A file as the command's argument, or --scenario with --set, or --lesson.
void add_source_flags(CLI::App& flags, TraceSource& source);

/// The place in a trace that --step (the end of that step, 0: before the first) or --event names; else its end.
struct TracePlace {
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> event;
};
/// InputError, naming what there is, when there is no such place.
std::size_t position_of(const TracePlace& place, const Trace& trace);
void add_place_flags(CLI::App& flags, TracePlace& place);

}  // namespace kvarium
