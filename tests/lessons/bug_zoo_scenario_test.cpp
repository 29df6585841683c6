// Each exhibit of the bug zoo brings its fault out on the built-in model, and the sound engine does not.

#include "core/faults/fault.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "lessons/scenarios/scenario.h"
#include "tests/support/catch.h"

using namespace kvarium;

namespace {

/// Folds what it receives; keeps the first sentence that an invariant says, and whether the last event was of that
/// step.
class FirstViolation : public EventSink {
 public:
  void emit(Event event) override {
    fold(world, event);
    if (!first.empty()) return;
    const std::vector<std::string> wrong = violations(world);
    if (!wrong.empty()) first = wrong.front();
  }
  World world;
  std::string first;
};

struct Caught {
  std::string first;   ///< what an invariant said first
  std::string said;    ///< the run's last words
  std::string at_end;  ///< what an invariant says of the last state
};

Caught run(const std::string& fault) {
  const Scenario& zoo = find_scenario("zoo");
  ScenarioParams params = zoo.defaults;
  params.fault = fault;
  FirstViolation sink;
  run_scenario(zoo, params, sink, CancelToken());
  REQUIRE(sink.world.said);
  const std::vector<std::string> wrong = violations(sink.world);
  return {sink.first, sink.world.said->text, wrong.empty() ? std::string() : wrong.front()};
}

}  // namespace

TEST_CASE("the sound engine runs the zoo's requests without a complaint") {
  const Caught sound = run("none");
  CHECK(sound.first.empty());
  CHECK(sound.said == "Every invariant held after every event.");
}

TEST_CASE("every fault of the zoo is noticed by an invariant, and the run says so") {
  for (const NamedFault& named : faults()) {
    INFO(named.name);
    const Caught caught = run(std::string(named.name));
    CHECK_FALSE(caught.first.empty());
    CHECK(caught.said == "An invariant noticed it: " + caught.first);
    CHECK(caught.at_end == caught.first);  // the run stopped there
  }
}
