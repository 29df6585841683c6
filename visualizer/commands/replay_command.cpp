// kvarium replay: plays a recording in the window, or tells it in words; what a cache would have saved a production
// server.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "visualizer/app/options.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/mooncake_command.h"
#include "visualizer/commands/trace_source.h"
#include "visualizer/platform/window.h"

namespace kvarium {
namespace {

struct Options {
  std::string file;
  bool text = false;
  TracePlace place;
  TrafficOptions traffic;
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

/// The window plays it; without a display the sentences tell it. The file is read here first: a bad one is an error
/// before any window opens.
int play(const Options& options, const Trace& trace) {
  ui::ShownOptions shown;
  shown.trace = options.file;
  try {
    return ui::run_window(shown);
  } catch (const ui::NoDisplay&) {
    fmt::print(stderr, "kvarium: {}\n", tr("there is no display to play it on; this is what happened, in words"));
  }
  print_sentences(trace);
  return kDone;
}

int run(const Options& options) {
  if (names_traffic(options.traffic)) return replay_traffic(options.traffic);
  if (options.file.empty()) {
    throw InputError(std::string(tr("replay what? Give a recording, --mooncake FILE or --azure FILE")));
  }
  if (options.traffic.json) throw InputError(std::string(tr("--json goes with --mooncake or --azure")));
  const std::unique_ptr<Trace> trace = load_trace_file(options.file);
  if (options.place.step || options.place.event) {
    print_text_twin(trace->world_at(position_of(options.place, *trace)));
    return kDone;
  }
  if (!options.text) return play(options, *trace);
  print_sentences(*trace);
  return kDone;
}

}  // namespace

Command replay_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand(
      "replay", std::string(tr("Play a recording, or tell it in words; say what a cache saves a production trace")));
  flags->footer(
      std::string(tr("Example: kvarium replay story.jsonl --text\n"
                     "Example: kvarium replay --mooncake synthetic_trace.jsonl --policy lru --capacity 10000\n"
                     "Example: kvarium replay --mooncake synthetic_trace.jsonl --engine --requests 500")));
  const auto options = std::make_shared<Options>();
  CLI::Option* file = flags->add_option("file", options->file, std::string(tr("the recording")));
  flags->add_flag("--text", options->text, std::string(tr("as sentences, one an event; no window")));
  add_place_flags(*flags, options->place);
  add_traffic_flags(*flags, options->traffic);
  for (const char* traffic : {"--mooncake", "--azure"}) {
    for (CLI::Option* other :
         {file, flags->get_option("--text"), flags->get_option("--step"), flags->get_option("--event")}) {
      flags->get_option(traffic)->excludes(other);
    }
  }
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
