#pragma once
// A scenario that has run, and its state after each step.

#include <algorithm>
#include <string>
#include <vector>

#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "lessons/scenarios/scenario.h"
#include "lessons/scenarios/set_parameter.h"
#include "tests/support/catch.h"

namespace kvarium_test {

using namespace kvarium;

/// The trace of a scenario with its defaults, or with some of them changed.
struct Run {
  explicit Run(const std::string& id) : Run(id, find_scenario(id).defaults) {}
  Run(const std::string& id, const ScenarioParams& params) {
    run_scenario(find_scenario(id), params, trace, CancelToken());
  }
  /// `set`: "block_size=4".
  Run(const std::string& id, const std::vector<std::string>& set) : Run(id, changed(id, set)) {}

  static ScenarioParams changed(const std::string& id, const std::vector<std::string>& set) {
    ScenarioParams params = find_scenario(id).defaults;
    for (const std::string& assignment : set) {
      set_parameter(find_scenario(id), params, parse_assignment(assignment));
    }
    return params;
  }

  const World& end() const { return trace.newest(); }
  World after_step(std::uint64_t step) const {
    return trace.world_at(step < trace.num_steps() ? trace.start_of_step(step + 1) : trace.size());
  }
  /// After step 1, 2, ...; each is checked.
  std::vector<World> after_steps() const {
    std::vector<World> worlds;
    for (std::uint64_t step = 1; step <= trace.num_steps(); ++step) {
      worlds.push_back(after_step(step));
      CHECK(violations(worlds.back()).empty());
    }
    return worlds;
  }
  template <typename E>
  std::size_t count() const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) found += std::holds_alternative<E>(trace[i]) ? 1 : 0;
    return found;
  }

  Trace trace;
};

}  // namespace kvarium_test
