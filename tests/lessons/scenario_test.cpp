#include "lessons/scenarios/scenario.h"

#include <algorithm>

#include "core/error.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/trace.h"
#include "lessons/kit/figures.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

constexpr RequestId kA{0};
constexpr RequestId kB{1};

/// What is wrong with the parameters; empty when nothing is.
std::string complaint(const char* id, const ScenarioParams& params) {
  try {
    check(find_scenario(id), params);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Cancels after a number of events.
class CancelAfter : public EventSink {
 public:
  explicit CancelAfter(std::uint64_t step) : step_(step) {}
  void emit(Event event) override {
    if (const auto* started = std::get_if<StepStarted>(&event)) {
      if (started->step == step_) cancel.cancel();
    }
    trace.emit(std::move(event));
  }
  Trace trace;
  CancelToken cancel;

 private:
  std::uint64_t step_;
};

std::vector<Event> without_times(const Trace& trace) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!std::holds_alternative<StepTimed>(trace[i])) events.push_back(trace[i]);
  }
  return events;
}

}  // namespace

TEST_CASE("S01: without a cache 92 K and V computations and 596 dot products, with one 15 and 120") {
  const Run run("S01");
  const World& world = run.end();
  CHECK(world.request(kA).work.kv_projections == 92);   // 8 + 9 + ... + 15
  CHECK(world.request(kA).work.score_products == 596);  // n (n + 1) / 2 for n = 8 ... 15
  CHECK(world.request(kB).work.kv_projections == 15);   // 8 + 7 * 1
  CHECK(world.request(kB).work.score_products == 120);  // 36 + 9 + 10 + ... + 15
  CHECK(world.request(kA).tokens == world.request(kB).tokens);
  CHECK(world.request(kA).tokens.size() == 16);
}

TEST_CASE("S01: each step shows A recomputing everything and B computing one token and reading the rest") {
  const Run run("S01");
  REQUIRE(run.trace.num_steps() == 8);
  for (std::uint64_t step = 1; step <= 8; ++step) {
    const World world = run.after_step(step);
    INFO("step " << step);
    CHECK(world.request(kA).new_count == 7 + step);
    CHECK_FALSE(world.request(kA).new_kept);
    CHECK(world.request(kA).table.empty());
    CHECK(world.request(kB).new_count == (step == 1 ? 8 : 1));
    CHECK(world.request(kB).read_count == 7 + step);
    CHECK(violations(world).empty());
  }
}

TEST_CASE("S02: 17 tokens lie in blocks 7, 3 and 12, and the arithmetic finds them") {
  const Run run("S02");
  const World prefilled = run.after_step(1);
  const RequestState& a = prefilled.request(kA);
  CHECK(show_table(prefilled, kA) == "[7,3,12] 17 tokens");
  CHECK(show_pool(prefilled) == "free 5 9 14 1 10 0 15 6 2 13 8 4 11 | used 3x1 7x1 12x1");
  const auto slot = [&](std::uint32_t position) { return value(slot_of(prefilled, a, position)); };
  CHECK(slot(0) == 56);
  CHECK(slot(7) == 63);
  CHECK(slot(8) == 24);
  CHECK(slot(13) == 29);
  CHECK(slot(16) == 96);
  CHECK(3 * 8 - a.computed_tokens == 7);  // slots that A holds and has not filled
}

TEST_CASE("S02: the table grows by one entry whenever the last block is full") {
  const Run run("S02");
  REQUIRE(run.trace.num_steps() == 48);
  CHECK(show_table(run.after_step(8), kA) == "[7,3,12] 24 tokens");
  CHECK(show_table(run.after_step(9), kA) == "[7,3,12,5] 25 tokens");
  CHECK(show_table(run.after_step(40), kA) == "[7,3,12,5,9,14,1] 56 tokens");
  CHECK(show_table(run.after_step(41), kA) == "[7,3,12,5,9,14,1,10] 57 tokens");
  CHECK(run.end().request(kA).status == RequestStatus::finished);
  CHECK(run.end().free_blocks.size() == 16);
}

TEST_CASE("S02: another pool size is scrambled by the seed") {
  ScenarioParams params = find_scenario("S02").defaults;
  params.num_blocks = 20;
  const std::vector<BlockId> first = Run("S02", params).end().free_blocks.order();
  params.seed = 8;
  CHECK(Run("S02", params).end().free_blocks.order() != first);
}

TEST_CASE("own: every request answers the same prompt, and seeds make the answers differ") {
  ScenarioParams params = find_scenario("own").defaults;
  params.new_tokens = 12;
  params.num_requests = 3;
  params.temperature = 1.0F;
  const Run run("own", params);
  const World& world = run.end();
  REQUIRE(world.requests.size() == 3);
  const auto prompt_of = [](const RequestState& request) {
    return std::vector<TokenId>(request.tokens.begin(), request.tokens.begin() + request.prompt_tokens);
  };
  CHECK(prompt_of(*world.requests[0]) == prompt_of(*world.requests[2]));
  CHECK(world.requests[0]->tokens != world.requests[1]->tokens);
  CHECK(violations(world).empty());
}

TEST_CASE("the same parameters give the same trace, apart from the times") {
  for (const Scenario& scenario : scenarios()) {
    INFO(scenario.id);
    const Run first(scenario.id);
    CHECK(without_times(first.trace) == without_times(Run(scenario.id).trace));
    CHECK(violations(first.end()).empty());
  }
}

TEST_CASE("a cancelled run ends after the step it is in, with every block back in the pool") {
  for (const Scenario& scenario : scenarios()) {
    INFO(scenario.id);
    CancelAfter listener(3);
    run_scenario(scenario, scenario.defaults, listener, listener.cancel);
    const World& world = listener.trace.newest();
    CHECK(listener.trace.num_steps() == std::min<std::size_t>(3, Run(scenario.id).trace.num_steps()));
    for (const BlockState& block : world.blocks) CHECK(block.ref_count == (block.in_tree ? 1 : 0));
    for (const auto& request : world.requests) CHECK(request->ended());
    CHECK(violations(world).empty());
  }
}

TEST_CASE("every default passes its check, and every field stands within its range") {
  for (const Scenario& scenario : scenarios()) {
    INFO(scenario.id);
    CHECK(complaint(scenario.id.c_str(), scenario.defaults).empty());
    CHECK_FALSE(scenario.summary.empty());
  }
}

TEST_CASE("bad parameters are refused with the field and its range") {
  ScenarioParams params = find_scenario("own").defaults;
  const auto with = [&](auto change) {
    ScenarioParams changed = params;
    change(changed);
    return complaint("own", changed);
  };
  CHECK_THAT(with([](auto& p) { p.block_size = 0; }),
             contains("block_size (Block size (tokens)) is 0; it must be 1 to 784"));
  CHECK_THAT(with([](auto& p) { p.block_size = 785; }), contains("block_size"));
  CHECK_THAT(with([](auto& p) { p.num_blocks = 0; }), contains("num_blocks (Pool size (blocks)) is 0"));
  CHECK_THAT(with([](auto& p) { p.num_requests = 27; }), contains("num_requests"));
  CHECK_THAT(with([](auto& p) { p.temperature = 2.1F; }), contains("it must be 0 to 2"));
  CHECK_THAT(with([](auto& p) { p.temperature = std::numeric_limits<float>::quiet_NaN(); }), contains("temperature"));
  CHECK(with([](auto& p) { p.temperature = 2.0F; }).empty());
  CHECK_THAT(with([](auto& p) { p.prompt.clear(); }), contains("prompt is empty"));
  CHECK_THAT(with([](auto& p) { p.prompt = "ab\xE2\x82"; }), contains("byte 2 (0xE2) begins no character"));
  CHECK_THAT(with([](auto& p) { p.prompt = std::string(1'000'001, 'x'); }), contains("it must be 1 to 1000000"));
  CHECK_THAT(with([](auto& p) { p.block_size = 784, p.num_blocks = 20000; }), contains("at most 1048576"));
}

TEST_CASE("a choice must be one of its names, and choices must go together") {
  ScenarioParams params = find_scenario("own").defaults;
  const auto with = [&](auto change) {
    ScenarioParams changed = params;
    change(changed);
    return complaint("own", changed);
  };
  CHECK_THAT(with([](auto& p) { p.prefix_cache = "tree"; }),
             contains("prefix_cache (Prefix cache) is \"tree\"; it must be one of: off, hash, radix"));
  CHECK_THAT(with([](auto& p) { p.scheduler = "Static"; }), contains("one of: continuous, chunked, static"));
  CHECK_THAT(with([](auto& p) { p.eviction = ""; }), contains("eviction"));
  CHECK_THAT(with([](auto& p) { p.prefix_cache = "radix", p.eviction = "lfu"; }), contains("evicts only by lru"));
  CHECK_THAT(with([](auto& p) { p.prefix_cache = "hash", p.eviction = "lfu", p.queue_order = "classic"; }),
             contains("choose queue_order=2026"));
  CHECK(with([](auto& p) { p.prefix_cache = "hash", p.eviction = "lfu"; }).empty());
  CHECK_THAT(with([](auto& p) { p.token_budget = 25; }), contains("token_budget is 25 and max_running 26"));
  CHECK_THAT(with([](auto& p) { p.max_running = 3, p.candidates = 4; }), contains("candidates is 4 and max_running 3"));
}

TEST_CASE("every choice that a field offers can run") {
  for (const Scenario& scenario : scenarios()) {
    for (const ScenarioField& field : scenario.fields) {
      for (const FieldChoice& choice : field.choices) {
        if (field.id == "fault") continue;  // of these one expects trouble: bug_zoo_scenario_test.cpp
        INFO(scenario.id << " " << field.id << "=" << choice.value);
        ScenarioParams params = scenario.defaults;
        if (field.id == "eviction") params.prefix_cache = "hash";
        set_parameter(scenario, params, {field.id, choice.value});
        const Run run(scenario.id, params);
        CHECK(violations(run.end()).empty());
        for (const auto& request : run.end().requests) CHECK(request->status == RequestStatus::finished);
      }
    }
  }
}

TEST_CASE("a parameter is set from text, and a wrong one changes nothing") {
  const Scenario& own = find_scenario("own");
  ScenarioParams params = own.defaults;
  set_parameter(own, params, parse_assignment("prefix_cache=radix"));
  set_parameter(own, params, parse_assignment("temperature=0.7"));
  set_parameter(own, params, parse_assignment("prompt=a=b"));
  CHECK(params.prefix_cache == "radix");
  CHECK(params.temperature == 0.7F);
  CHECK(params.prompt == "a=b");
  const ScenarioParams before = params;
  const auto wrong = [&](const char* text) {
    try {
      set_parameter(own, params, parse_assignment(text));
    } catch (const InputError& error) {
      CHECK(params == before);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(wrong("prefix_cache=tree"), contains("one of: off, hash, radix"));
  CHECK_THAT(wrong("block_size=four"), contains("block_size: \"four\" is no number that fits"));
  CHECK_THAT(wrong("block_size=785"), contains("must be 1 to 784"));
  CHECK_THAT(wrong("size=4"), contains("own has no parameter \"size\"; it has prompt, model_path"));
  CHECK_THAT(wrong("block_size"), contains("write it as block_size=4"));
}

TEST_CASE("S02 refuses a pool in which its request could never end") {
  ScenarioParams params = find_scenario("S02").defaults;
  params.num_blocks = 8;
  CHECK_THAT(complaint("S02", params), contains("needs at least 9 blocks of 8"));
}

TEST_CASE("a prompt of 100,000 characters is refused in one line, before anything happens") {
  ScenarioParams params = find_scenario("own").defaults;
  params.prompt = std::string(100'000, 'x');
  VectorSink sink;
  CHECK_THROWS_AS(run_scenario(find_scenario("own"), params, sink, CancelToken()), InputError);
}

TEST_CASE("a scenario is found by id or name in any case, and a wrong name lists what there is") {
  CHECK(find_scenario("s02").id == "S02");
  CHECK(find_scenario("Paging-17").id == "S02");
  CHECK_THROWS_WITH(find_scenario("S99"), contains("S01 (why-cache), S02 (paging-17), S03 (fork-cow)"));
}
