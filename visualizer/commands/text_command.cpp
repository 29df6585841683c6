// kvarium text: a scenario, or a recording, at one step, in words.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/scenarios/scenario.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/numbers.h"

namespace kvarium {
namespace {

constexpr std::size_t kMostRequests = 8;  ///< whose tokens are printed; more would bury the rest

struct Options {
  std::string scenario;
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> event;
};

std::size_t position_of(const Options& options, const Trace& trace) {
  if (options.event) {
    if (*options.event <= trace.size()) return *options.event;
    throw InputError(tr_format("--event {}: there are {} events", *options.event, trace.size()));
  }
  if (!options.step || *options.step == trace.num_steps()) return trace.size();
  if (*options.step < trace.num_steps()) return trace.start_of_step(*options.step + 1);
  throw InputError(tr_format("--step {}: there are steps 0 to {}", *options.step, trace.num_steps()));
}

int run(const Options& options) {
  Trace trace;
  const Scenario& scenario = find_scenario(options.scenario);
  run_scenario(scenario, scenario.defaults, trace, CancelToken());
  const World world = trace.world_at(position_of(options, trace));
  fmt::print("{}", text_twin(world));
  for (std::size_t i = 0; i < std::min(world.requests.size(), kMostRequests); ++i) {
    fmt::print("\n{}", text_twin(world, world.requests[i]->id));
  }
  return kDone;
}

}  // namespace

Command text_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("text", std::string(tr("The state at one step of a scenario, in words")));
  flags->footer(std::string(tr("Example: kvarium text --scenario S02 --step 40")));
  const auto options = std::make_shared<Options>();
  flags->add_option("--scenario", options->scenario, std::string(tr("S01, S02 or own, or the scenario's name")))
      ->required();
  flags->add_option("--step", options->step, std::string(tr("the end of this step; 0: before the first; else the end")))
      ->check(whole_number(0, UINT64_MAX));
  flags->add_option("--event", options->event, std::string(tr("instead of a step: after this many events")))
      ->check(whole_number(0, UINT64_MAX))
      ->excludes("--step");
  return {flags, [options] { return run(*options); }};
}

}  // namespace kvarium
