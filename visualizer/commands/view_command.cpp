// kvarium view: the window's picture without a display, or a script that uses it.

#include <memory>

#include "core/words/words.h"
#include "visualizer/app/options.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/shown_flags.h"

namespace kvarium {

void add_shown_flags(CLI::App& flags, ui::ShownOptions& options) {
  const auto words = [](std::string_view english) { return std::string(tr(english)); };
  auto* scenario =
      flags.add_option("--scenario", options.scenario, words("S01 to S08, S11, X1, B1 or own, or the scenario's name"));
  flags.add_option("--set", options.set, words("a parameter of the scenario: --set block_size=4; may be repeated"))
      ->take_all();
  auto* lesson = flags.add_option("--lesson", options.lesson, words("a lesson instead: its number or id"));
  auto* trace = flags.add_option("--trace", options.trace, words("a recorded run instead: a trace file"));
  lesson->excludes(scenario)->excludes(trace);
  trace->excludes(scenario);
  flags.add_option("--theme", options.theme, words("dark or light"))->capture_default_str();
  flags.add_option("--scale", options.scale, words("pixels a logical pixel, 0.5 to 4"))->capture_default_str();
  flags.add_option("--size", options.size, words("width x height in pixels"))->capture_default_str();
}

Command view_command(CLI::App& program) {
  const auto words = [](std::string_view english) { return std::string(tr(english)); };
  CLI::App* flags = program.add_subcommand("view", words("The window's picture, or a script, without a display"));
  flags->footer(words("Example: kvarium view --scenario S02 --step 40 --theme light --screenshot out.png"));
  const auto options = std::make_shared<ui::ViewOptions>();
  add_shown_flags(*flags, options->shown);
  flags->add_option("--step", options->step, words("the end of this step; 0: before the first; else the last but one"))
      ->check(whole_number(0, UINT64_MAX));
  flags->add_option("--select", options->select,
                    words("what is selected: block:3, slot:29, request:A, token:A[13], node:4"));
  flags->add_option(
      "--tab", options->tab,
      words("blocks, work, radix, metrics, attention, heads, roofline, kernel or spec; else what suits the scenario"));
  flags->add_option("--compare", options->compare, words("a second run beside it with this value: eviction=fifo"));
  flags->add_option("--screenshot", options->screenshot, words("the PNG file to write"));
  flags->add_option("--dump-ui", options->dump_ui,
                    words("a file for all that is on the screen, one JSON object a line"));
  flags->add_option("--script", options->script, words("a file with what a person does, one command a line"));
  return {flags, [options] { return ui::run_view(*options); }};
}

}  // namespace kvarium
