#pragma once
// An engine over the fake model, ready to be stepped and looked at.

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/engine.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/trace/event_fields.h"
#include "tests/support/engine_checks.h"
#include "tests/support/fake_runner.h"

namespace kvarium_test {

inline RequestSpec ask(const std::string& prompt, std::uint32_t max_new_tokens) {
  RequestSpec spec;
  spec.prompt = tokens_of(prompt);
  spec.max_new_tokens = max_new_tokens;
  return spec;
}

/// An engine over the fake model, blocks of 4 tokens; every step is checked against the World.
struct Bench {
  explicit Bench(std::uint32_t num_blocks, StepLimits limits = {}, std::uint32_t context = 64)
      : runner(context), engine(config(num_blocks, limits), runner, scheduler, text, sink) {}
  /// With a prefix cache, and whatever else of the config is to differ.
  Bench(std::uint32_t num_blocks, const std::function<void(EngineConfig&)>& change, ContinuousOptions options = {},
        StepLimits limits = {})
      : scheduler(options), engine(changed(num_blocks, limits, change), runner, scheduler, text, sink) {}

  EngineConfig config(std::uint32_t num_blocks, StepLimits limits) {
    return {4, ascending_order(num_blocks), limits, [this] { return now += 1000; }};
  }
  EngineConfig changed(std::uint32_t num_blocks, StepLimits limits, const std::function<void(EngineConfig&)>& change) {
    EngineConfig changed = config(num_blocks, limits);
    change(changed);
    return changed;
  }
  bool step() {
    const bool more = engine.step();
    check();
    return more;
  }
  void run() {
    while (step()) {
    }
  }
  void check() { world_check(sink, engine); }
  std::string plan() const { return show(engine.plan()); }
  std::string text_of(RequestId id) const { return engine.request(id).text; }
  std::string status(RequestId id) const {
    const char* const names[] = {"waiting", "running", "preempted", "finished", "aborted"};
    return names[static_cast<int>(engine.request(id).status)];
  }
  template <typename T>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(sink.events.begin(), sink.events.end(),
                                                  [](const Event& event) { return std::holds_alternative<T>(event); }));
  }

  std::uint64_t now = 0;
  VectorSink sink;
  FakeRunner runner;
  ContinuousScheduler scheduler;
  LetterText text;
  Engine engine;
  WorldCheck world_check;
};

/// The events from the first-th on, by name.
inline std::string names_of(const std::vector<Event>& events, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < events.size(); ++i) {
    const auto name = [](const auto& event) { return Fields<std::decay_t<decltype(event)>>::kName; };
    text += (text.empty() ? "" : " ") + std::string(std::visit(name, events[i]));
  }
  return text;
}

}  // namespace kvarium_test
