#include "visualizer/commands/trace_source.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/trace/trace_io.h"
#include "core/words/words.h"
#include "lessons/kit/lesson.h"
#include "lessons/scenarios/set_parameter.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {

std::unique_ptr<Trace> load_trace_file(const std::string& path) {
  ReadTrace read = read_trace(path);
  if (!read.warning.empty()) fmt::print(stderr, "kvarium: {}\n", read.warning);
  return std::move(read.trace);
}

ScenarioParams params_of(const TraceSource& source) {
  const Scenario& scenario = find_scenario(source.scenario);
  ScenarioParams params = scenario.defaults;
  for (const std::string& assignment : source.set) {
    set_parameter(scenario, params, parse_assignment(assignment));
  }
  return params;
}

std::unique_ptr<Trace> load_trace(const TraceSource& source) {
  if (!source.file.empty()) return load_trace_file(source.file);
  auto trace = std::make_unique<Trace>();
  if (!source.lesson.empty()) {
    record_lesson(find_lesson(source.lesson), *trace);
    return trace;
  }
  if (source.scenario.empty()) {
    throw InputError(std::string(tr("of what? Give a trace file, --scenario NAME or --lesson NUMBER")));
  }
  run_scenario(find_scenario(source.scenario), params_of(source), *trace, CancelToken());
  return trace;
}

void add_source_flags(CLI::App& flags, TraceSource& source) {
  CLI::Option* file = flags.add_option("file", source.file, std::string(tr("a recording")));
  CLI::Option* scenario =
      flags.add_option("--scenario", source.scenario, std::string(tr("instead: a scenario's id or name")));
  flags.add_option("--set", source.set, std::string(tr("a parameter of the scenario: block_size=4")))->needs(scenario);
  CLI::Option* lesson = flags.add_option("--lesson", source.lesson, std::string(tr("instead: a lesson's number")));
  file->excludes(scenario)->excludes(lesson);
  scenario->excludes(lesson);
}

std::size_t position_of(const TracePlace& place, const Trace& trace) {
  if (place.event) {
    if (*place.event <= trace.size()) return static_cast<std::size_t>(*place.event);
    throw InputError(tr_format("--event {}: there are events 0 to {}", *place.event, trace.size()));
  }
  if (!place.step || *place.step == trace.num_steps()) return trace.size();
  if (*place.step < trace.num_steps()) return trace.start_of_step(*place.step + 1);
  throw InputError(tr_format("--step {}: there are steps 0 to {}", *place.step, trace.num_steps()));
}

void add_place_flags(CLI::App& flags, TracePlace& place) {
  flags.add_option("--step", place.step, std::string(tr("the end of this step; 0: before the first; else the end")))
      ->check(whole_number(0, UINT64_MAX));
  flags.add_option("--event", place.event, std::string(tr("instead of a step: after this many events")))
      ->check(whole_number(0, UINT64_MAX))
      ->excludes("--step");
}

}  // namespace kvarium
