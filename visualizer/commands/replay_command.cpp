// kvarium replay: what a recording says happened.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/trace_source.h"

namespace kvarium {
namespace {

struct Options {
  std::string file;
  bool text = false;
  TracePlace place;
};

/// One sentence an event, an empty line before each step.
void print_sentences(const Trace& trace) {
  World world;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (std::holds_alternative<StepStarted>(trace[i])) fmt::print("\n");
    fmt::print("{}\n", describe(trace[i], world));
    fold(world, trace[i]);
  }
}

int run(const Options& options) {
  const std::unique_ptr<Trace> trace = load_trace_file(options.file);
  if (options.place.step || options.place.event) {
    print_text_twin(trace->world_at(position_of(options.place, *trace)));
  } else {
    print_sentences(*trace);
  }
  return kDone;
}

}  // namespace

Command replay_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("replay", std::string(tr("What a recording says happened")));
  flags->footer(std::string(tr("Example: kvarium replay story.jsonl --text")));
  const auto options = std::make_shared<Options>();
  flags->add_option("file", options->file, std::string(tr("the recording")))->required();
  flags->add_flag("--text", options->text,
                  std::string(tr("as sentences, one an event; also where there is no window")));
  add_place_flags(*flags, options->place);
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
