// The list of scenarios.

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/words/words.h"
#include "lessons/scenarios/batch_preempt.h"
#include "lessons/scenarios/batching.h"
#include "lessons/scenarios/bug_zoo.h"
#include "lessons/scenarios/fewer_heads.h"
#include "lessons/scenarios/fork_cow.h"
#include "lessons/scenarios/mooncake.h"
#include "lessons/scenarios/own_prompt.h"
#include "lessons/scenarios/paged_kernel.h"
#include "lessons/scenarios/paging.h"
#include "lessons/scenarios/prefix_floor.h"
#include "lessons/scenarios/radix.h"
#include "lessons/scenarios/scenario.h"
#include "lessons/scenarios/speculation.h"
#include "lessons/scenarios/why_cache.h"

namespace kvarium {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kAll{why_cache_scenario(),     paging_scenario(),      fork_cow_scenario(),
                                          prefix_floor_scenario(),  radix_scenario(),       speculation_scenario(),
                                          batch_preempt_scenario(), fewer_heads_scenario(), paged_kernel_scenario(),
                                          batching_scenario(),      mooncake_scenario(),    bug_zoo_scenario(),
                                          own_prompt_scenario()};
  return kAll;
}

const Scenario& find_scenario(std::string_view id_or_name) {
  const std::string wanted = lower(id_or_name);
  std::string names;
  for (const Scenario& scenario : scenarios()) {
    if (wanted == lower(scenario.id) || wanted == lower(scenario.name)) return scenario;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", scenario.id, scenario.name);
  }
  throw InputError(tr_format("there is no scenario \"{}\"; there are {}", id_or_name, names));
}

void run_scenario(const Scenario& scenario, const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  check(scenario, params);
  scenario.run(params, sink, cancel);
}

}  // namespace kvarium
