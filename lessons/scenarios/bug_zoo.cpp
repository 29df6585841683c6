#include "lessons/scenarios/bug_zoo.h"

#include <map>
#include <utility>

#include "core/error.h"
#include "core/faults/fault.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/engine_setup.h"
#include "lessons/scenarios/field.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {
namespace {

/// The requests that bring a fault out. A prompt is a list of pieces of a story: letter 'a' stands for its first four
/// tokens, 'b' for the next four, and so on; a capital for the first token of a piece alone.
struct Exhibit {
  const char* prefix_cache = "off";
  std::uint32_t block_size = 4;
  std::uint32_t num_blocks = 16;
  std::uint32_t new_tokens = 1;
  std::uint32_t candidates = 1;
  bool at_once = false;  ///< otherwise one after another
  std::vector<std::string> prompts = {};
  std::vector<std::string> tenants = {};  ///< of each request, if there are any
};

const Exhibit& exhibit_of(Fault fault) {
  static const std::map<Fault, Exhibit> kExhibits{
      {Fault::none, {.prefix_cache = "hash", .prompts = {"ab", "ac", "caD"}}},
      {Fault::hash_without_parent, {.prefix_cache = "hash", .prompts = {"ab", "ac", "caD"}}},
      {Fault::salt_mixed_up, {.prefix_cache = "hash", .prompts = {"abC", "abC"}, .tenants = {"Alice", "Bob"}}},
      {Fault::hit_before_compute, {.prefix_cache = "hash", .prompts = {"abC"}}},
      {Fault::tail_block_leak, {.num_blocks = 6, .new_tokens = 4, .prompts = {"aB", "aB", "aB"}}},
      {Fault::double_free, {.new_tokens = 4, .candidates = 2, .prompts = {"ab"}}},
      {Fault::flat_lru, {.prefix_cache = "radix", .block_size = 1, .prompts = {"ab", "aBcD", "AE", "abF", "g", "hij"}}},
      {Fault::queue_changed_in_a_loop, {.new_tokens = 3, .at_once = true, .prompts = {"a", "b", "c", "d"}}},
  };
  return kExhibits.at(fault);
}

std::vector<TokenId> prompt_of(const std::string& pieces, const std::vector<TokenId>& story) {
  std::vector<TokenId> prompt;
  for (const char piece : pieces) {
    const bool is_one = piece >= 'A' && piece <= 'Z';
    const auto first = static_cast<std::ptrdiff_t>(4 * (piece - (is_one ? 'A' : 'a')));
    prompt.insert(prompt.end(), story.begin() + first, story.begin() + first + (is_one ? 1 : 4));
  }
  return prompt;
}

/// An invariant is broken: the run ends at this event.
class Noticed {};

/// Passes everything on and keeps the World. Throws Noticed at the first thing that is wrong; what comes after it,
/// while the engine tidies up, is nobody's concern.
class Watch : public EventSink {
 public:
  explicit Watch(EventSink& sink) : sink_(sink) {}
  void emit(Event event) override {
    if (!noticed_.empty()) return;
    fold(world_, event);
    sink_.emit(std::move(event));
    const std::vector<std::string> wrong = violations(world_);
    if (wrong.empty()) return;
    noticed_ = wrong.front();
    throw Noticed();
  }
  const std::string& noticed() const { return noticed_; }
  std::size_t num_requests() const { return world_.requests.size(); }

 private:
  EventSink& sink_;
  World world_;
  std::string noticed_;
};

void run_exhibit(const Exhibit& exhibit, const ModelChoice& choice, Engine& engine, const Watch& watch,
                 const CancelToken& cancel) {
  const std::vector<TokenId> story = story_tokens(*choice.tokenizer, 64);
  const auto run = [&] {
    while (!cancel.cancelled() && engine.step()) {
    }
  };
  for (std::size_t i = 0; i < exhibit.prompts.size(); ++i) {
    RequestSpec request;
    request.prompt = prompt_of(exhibit.prompts[i], story);
    request.max_new_tokens = exhibit.new_tokens;
    request.candidates = exhibit.candidates;
    request.sampling.temperature = 1.0F;
    if (!exhibit.tenants.empty()) request.keys.tenant_salt = exhibit.tenants[i];
    engine.submit(std::move(request));
    if (!exhibit.at_once) run();
  }
  run();
  for (std::uint32_t id = 0; id < watch.num_requests(); ++id) engine.abort(RequestId{id});
}

void say(EventSink& sink, std::string text) { sink.emit(Said{std::move(text), {}}); }

void run(const ScenarioParams& params, EventSink& sink, const CancelToken& cancel) {
  const Fault fault = find_fault(params.fault);
  const Exhibit& exhibit = exhibit_of(fault);
  ScenarioParams chosen = params;
  chosen.prefix_cache = exhibit.prefix_cache;
  chosen.block_size = exhibit.block_size;
  chosen.num_blocks = exhibit.num_blocks;
  const ModelChoice choice = choose_model({}, {});
  cpu::CpuRunner runner(choice.model);
  const EngineSetup setup = make_setup(chosen);
  Watch watch(sink);
  for (const NamedFault& named : faults()) {
    if (named.fault == fault) say(sink, tr_format("The fault: {}.", tr(named.meaning)));
  }
  Engine engine(setup.config, runner, *setup.scheduler, *choice.tokenizer, watch);
  try {
    run_exhibit(exhibit, choice, engine, watch, cancel);
    say(sink, std::string(tr("Every invariant held after every event.")));
  } catch (const Noticed&) {  // what is broken is left as it is, to be looked at
    say(sink, tr_format("An invariant noticed it: {}", watch.noticed()));
  }
}

std::vector<FieldChoice> fault_choices() {
  std::vector<FieldChoice> choices{{"none", "none: a sound engine"}};
  for (const NamedFault& named : faults()) {
    choices.push_back({std::string(named.name), std::string(named.name) + ": " + std::string(named.meaning)});
  }
  return choices;
}

}  // namespace

Scenario bug_zoo_scenario() {
  return {"zoo",
          "bug-zoo",
          "The bug zoo",
          "Choose a fault: one mistake of a real system, on the few requests that bring it out. The run stops where an "
          "invariant notices; look at the last events before that.",
          {.block_size = 4, .num_blocks = 16, .fault = "none"},
          {choice_field("fault", "Fault", "Which mistake the engine makes.", fault_choices()), seed_field()},
          run};
}

}  // namespace kvarium
