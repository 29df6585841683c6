// kvarium metrics: a run in numbers, as a page, as CSV, or as a Prometheus server would read it.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/error.h"
#include "core/metrics/metrics_text.h"
#include "core/words/words.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/trace_source.h"

namespace kvarium {
namespace {

struct Options {
  TraceSource source;
  TracePlace place;
  std::string csv;
  bool prometheus = false;
};

ExitCode run(const Options& options) {
  if (!options.csv.empty() && options.csv != "steps" && options.csv != "requests") {
    throw InputError(tr_format("--csv {}: there are steps and requests", options.csv));
  }
  const std::unique_ptr<Trace> trace = load_trace(options.source);
  const World world = trace->world_at(position_of(options.place, *trace));
  MetricsLog log;
  log.follow(*trace);
  if (options.csv == "steps") {
    fmt::print("{}", steps_csv(log, world.step));
    return kDone;
  }
  const MetricsSummary summary = summarise(*trace, world, log);
  if (options.csv == "requests")
    fmt::print("{}", requests_csv(summary));
  else
    fmt::print("{}", options.prometheus ? prometheus_text(summary, log, world) : metrics_text(summary));
  return kDone;
}

}  // namespace

Command metrics_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand(
      "metrics", std::string(tr("A run in numbers: hit rate, waiting, memory; as text, CSV or for Prometheus")));
  flags->footer(
      std::string(tr("Example: kvarium metrics --scenario S02\n"
                     "Example: kvarium metrics story.jsonl --csv steps > steps.csv")));
  const auto options = std::make_shared<Options>();
  add_source_flags(*flags, options->source);
  add_place_flags(*flags, options->place);
  flags->add_option("--csv", options->csv, std::string(tr("steps: a row a step; requests: a row a request")));
  flags->add_flag("--prometheus", options->prometheus, std::string(tr("as a metrics endpoint would, in vLLM's names")))
      ->excludes("--csv");
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
