// kvarium text: a scenario, a lesson or a recording at one step, in words.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/metrics/comparison.h"
#include "core/trace/describe.h"
#include "core/words/words.h"
#include "lessons/scenarios/fewer_heads.h"
#include "lessons/scenarios/paged_kernel.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/trace_source.h"

namespace kvarium {
namespace {

struct Options {
  TraceSource source;
  TracePlace place;
  std::string compare;
};

/// Both runs at the end of the same step; one that has ended by then, at its end.
void print_comparison(const Options& options, const Trace& left) {
  TraceSource other = options.source;
  other.set.push_back(options.compare);
  const std::unique_ptr<Trace> right = load_trace(other);
  const World here = left.world_at(position_of(options.place, left));
  const std::uint64_t steps = options.place.step || options.place.event ? here.step : right->num_steps();
  const std::uint64_t step = std::min<std::uint64_t>(steps, right->num_steps());
  const World there = right->world_at(position_of({step, std::nullopt}, *right));
  MetricsLog left_log, right_log;
  left_log.follow(left);
  right_log.follow(*right);
  const std::vector<ComparedRow> rows = compare(summarise(left, here, left_log), left.num_steps(),
                                                summarise(*right, there, right_log), right->num_steps());
  fmt::print("{}", comparison_text(rows, tr_format("step {}", here.step),
                                   tr_format("{}, step {}", options.compare, there.step)));
}

/// Scenario S08 compares models that no engine runs, S11 steps a kernel.
void print_what_stands_beside(const TraceSource& source) {
  if (source.scenario.empty()) return;
  const std::string& id = find_scenario(source.scenario).id;
  if (id == fewer_heads_scenario().id) fmt::print("\n{}", fewer_heads_text());
  if (id == paged_kernel_scenario().id) fmt::print("\n{}", paged_kernel_text(params_of(source)));
}

}  // namespace

void print_text_twin(const World& world) {
  constexpr std::size_t kMostRequests = 8;  // whose tokens are printed; more would bury the rest
  fmt::print("{}", text_twin(world));
  for (std::size_t i = 0; i < std::min(world.requests.size(), kMostRequests); ++i) {
    fmt::print("\n{}", text_twin(world, world.requests[i]->id));
  }
}

Command text_command(CLI::App& program) {
  CLI::App* flags = program.add_subcommand("text", std::string(tr("The state at one step, in words")));
  flags->footer(
      std::string(tr("Example: kvarium text --scenario S02 --step 40\n"
                     "Example: kvarium text --scenario S02 --set block_size=4 --set prompt_tokens=9 --step 1")));
  const auto options = std::make_shared<Options>();
  flags->add_option("--scenario", options->source.scenario,
                    std::string(tr("S01 to S08, S11, X1, B1 or own, or its name")));
  flags->add_option("--set", options->source.set, std::string(tr("a parameter of the scenario: block_size=4")))
      ->needs("--scenario");
  flags->add_option("--lesson", options->source.lesson, std::string(tr("a lesson's number")))->excludes("--scenario");
  flags->add_option("--trace", options->source.file, std::string(tr("a recording")))
      ->excludes("--scenario")
      ->excludes("--lesson");
  flags->add_option("--compare", options->compare, std::string(tr("with a second run that has this: eviction=fifo")))
      ->needs("--scenario");
  add_place_flags(*flags, options->place);
  return {flags, [options] {
            const std::unique_ptr<Trace> trace = load_trace(options->source);
            if (!options->compare.empty()) {
              print_comparison(*options, *trace);
              return kDone;
            }
            print_text_twin(trace->world_at(position_of(options->place, *trace)));
            print_what_stands_beside(options->source);
            return kDone;
          }};
}

}  // namespace kvarium
