// The Spec tab in the window.

#include "tests/support/catch.h"
#include "tests/visualizer/open_window.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

namespace {

const UiItem& item(OpenWindow& window, const std::string& id) {
  const UiItem* found = window.host.ui().registry.find(id);
  INFO(id);
  REQUIRE(found != nullptr);
  return *found;
}

/// Runs the window's scenario again with another value, to the end of this step.
void rerun(OpenWindow& window, const std::string& field, const std::string& value, std::uint64_t step) {
  window.app.set_parameter(field, value);
  window.app.start(false);
  window.settle();
  window.app.go_to_step(step);
  window.driver.wait(2);
}

/// As many events forward.
void step_events(OpenWindow& window, int events) {
  window.driver.click("granularity");
  window.driver.wait(2);
  window.driver.click("granularity/0");
  window.driver.wait(2);
  for (int i = 0; i < events; ++i) window.driver.click("step_forward");
  window.driver.wait(2);
}

}  // namespace

TEST_CASE("scenario S06 opens with the tab Spec and shows its round: two accepted, three slots stale") {
  OpenWindow window("S06");
  window.app.go_to_step(2);
  window.driver.wait(2);
  window.driver.expect("spec/round/1", "2 of 5 accepted, 3 tokens");
  window.driver.expect("spec/round/1/0", "accepted: q 1.000, p 1.000, u 0.000, accepted below 1.000");
  window.driver.expect("spec/round/1/2", "rejected: q 1.000, p 0.000, u 0.000, accepted below 0.000");
  window.driver.expect("spec/round/1/3", "void: q 1.000");
  window.driver.expect("spec/round/1/next", "in its place: probability 1.000");
  window.driver.expect("spec_target", "7[====] 3[====] 12[====] 5[=xxx]");
  CHECK(item(window, "spec_target").label == "the target: K and V of 13 of 14 tokens, 3 slots stale");
  CHECK(item(window, "spec_draft").label == "who guesses here keeps no cache of its own");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("S06 with 0, 1 and 5 right guesses: block 5 returns, or stays full") {
  OpenWindow window("S06");
  rerun(window, "accepted", "0", 2);
  window.driver.expect("spec/round/1", "0 of 5 accepted, 1 tokens, block 5 returned");
  window.driver.expect("spec_target", "7[====] 3[====] 12[===x] returned 5[xxxx]");
  rerun(window, "accepted", "1", 2);
  window.driver.expect("spec/round/1", "1 of 5 accepted, 2 tokens, block 5 returned");
  window.driver.expect("spec_target", "7[====] 3[====] 12[====] returned 5[xxxx]");
  rerun(window, "accepted", "5", 2);
  window.driver.expect("spec/round/1", "5 of 5 accepted, 6 tokens");
  window.driver.expect("spec/round/1/next", "bonus: probability 1.000");
  window.driver.expect("spec_target", "7[====] 3[====] 12[====] 5[====]");
}

TEST_CASE("the rounds follow the moment, and a press on one leads to it") {
  OpenWindow window("S06");
  window.app.go_to_step(1);
  window.driver.wait(2);
  CHECK_THAT(item(window, "spec_empty").label, contains("No round yet at this moment"));
  window.app.go_to_step(3);
  window.driver.wait(2);
  window.driver.expect("spec/round/2");
  window.driver.click("spec/round/1");
  window.driver.wait(2);
  CHECK(window.step() == 2);
  CHECK(window.host.ui().registry.find("spec/round/2") == nullptr);
}

TEST_CASE("event by event: guessed, computed, judged") {
  OpenWindow window("S06");
  window.app.go_to_step(1);
  window.driver.wait(2);
  step_events(window, 2);  // the step starts, the first new token is named
  for (int i = 0; i < 12 && window.host.ui().registry.find("spec/round/1") == nullptr; ++i) step_events(window, 1);
  window.driver.expect("spec/round/1", "0 of 5 judged");
  window.driver.expect("spec/round/1/0", "to be judged: q 1.000");
  for (int i = 0; i < 4 && item(window, "spec_target").value.find('?') == std::string::npos; ++i)
    step_events(window, 1);
  window.driver.expect("spec_target", "7[====] 3[====] 12[===?] 5[????]");
}

TEST_CASE(
    "the proposer is chosen in the tab: a small model has a cache of its own, one short after a full acceptance") {
  OpenWindow window("S06");
  window.app.go_to_step(2);
  window.driver.wait(2);
  window.driver.click("spec/proposer");
  window.driver.wait(2);
  window.driver.click("spec/proposer/2");  // draft
  window.driver.wait(2);
  CHECK(window.host.ui().registry.find("spec/accepted") == nullptr);  // only the oracle is told how often it is right
  window.driver.click("spec_run");
  window.driver.wait(2);
  window.app.finish_run();
  std::uint64_t full = 2;
  const Trace& trace = window.app.run().trace;
  const auto accepted_all = [&] {
    const auto& round = window.world().request(RequestId{0}).round;
    return round && round->accepted() == round->tokens.size();
  };
  for (window.app.go_to_step(full); !accepted_all() && full < trace.num_steps(); window.app.go_to_step(++full)) {
  }
  window.driver.wait(2);
  const RequestState& a = window.world().request(RequestId{0});
  CHECK(a.tokens.size() - a.draft_cached == 2);
  CHECK_THAT(item(window, "spec_draft").label, contains("2 to be read next"));
  CHECK(item(window, "spec_draft").value.substr(item(window, "spec_draft").value.size() - 2) == "..");
}

TEST_CASE("where nothing is guessed the tab says what to do, and a press opens S06") {
  OpenWindow window;
  window.driver.key("9");
  window.driver.wait(2);
  CHECK_THAT(item(window, "spec_empty").label, contains("Nothing was guessed in this run. Open scenario S06"));
  window.driver.click("spec_open");
  window.driver.wait(2);
  window.app.finish_run();
  window.app.go_to_step(2);
  window.driver.wait(2);
  window.driver.expect("spec/round/1", "2 of 5 accepted, 3 tokens");
}

TEST_CASE("accepted guesses are counted beside theory, and the best length follows what a guess costs") {
  OpenWindow window("S06");
  window.app.go_to_step(3);
  window.driver.wait(2);
  CHECK(item(window, "spec_worth/0").label == "4 of 6 judged guesses accepted: alpha 0.67.");
  CHECK(item(window, "spec_worth/1").label == "Tokens a round: 3.00 counted, 2.74 by theory.");
  window.driver.expect("spec_histogram_bars", "0: 0 (0.7), 1: 0 (0.4), 2: 2 (0.3), 3: 0 (0.2), 4: 0 (0.1), 5: 0 (0.3)");
  CHECK(item(window, "spec_speedup_line").label == "best k 4");
  window.driver.drag("spec_cost", 0.1F, 0.98F);
  window.driver.wait(2);
  CHECK(item(window, "spec_speedup_line").label == "best k 0");
  CHECK_THAT(item(window, "spec_worth/2").label, contains("best not to guess"));
}

TEST_CASE("the exact rule fits and the bug zoo's does not, in words, at any number of draws") {
  OpenWindow window("S06");
  window.driver.wait(2);
  window.driver.expect("spec_exact_bar", "(0.503, 0.497)");
  window.driver.expect("spec_zoo_bar", "(0.701, 0.299)");
  CHECK_THAT(item(window, "spec_exact_verdict").label, contains("by chance up to 10.8: it fits"));
  CHECK_THAT(item(window, "spec_zoo_verdict").label, contains("by chance up to 10.8: it does not fit"));
  CHECK_THAT(item(window, "spec_drawn").label, contains("(0.50, 0.50) and (0.70, 0.30)"));
}

TEST_CASE("X shows all of it as text") {
  OpenWindow window("S06");
  window.app.go_to_step(2);
  window.driver.wait(2);
  window.driver.key("X");
  window.driver.wait(2);
  const std::string text = item(window, "spec_text").label;
  CHECK_THAT(text, contains("step 2, request A: 2 of 5 guesses accepted, 3 tokens\n"));
  CHECK_THAT(text, contains("7[====] 3[====] 12[====] 5[=xxx]"));
  CHECK_THAT(text, contains("in its place: from p (bug zoo)"));
  window.driver.key("X");
  window.driver.wait(2);
  window.driver.expect("spec/round/1");
}

TEST_CASE("your own prompt with a proposer opens the tab too") {
  OpenWindow window("own");
  CHECK(window.host.ui().registry.find("spec_worth_title") == nullptr);
  window.app.set_parameter("proposer", "ngram");
  window.app.set_parameter("temperature", "0");
  window.app.set_parameter("new_tokens", "12");
  window.app.start(false);
  window.settle();
  window.driver.expect("spec_worth_title");
  CHECK(window.app.run().trace.newest().proposer.find("look") != std::string::npos);
}

TEST_CASE("the tab fits a small window") {
  OpenWindow window("S06");
  window.host.resize(1024, 700);
  window.app.go_to_step(3);
  window.driver.wait(3);
  window.driver.expect("spec/round/2");
  window.driver.expect("spec_target", "7[====] 3[====] 12[====] 5[====] returned 9[xxx ]");
  window.driver.expect("tab_compare");
  CHECK(item(window, "tab_compare").rect.max_x < 1024);
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("the worked position of S06 is counted as well, over four tokens") {
  OpenWindow window("S06");
  window.driver.wait(2);
  window.driver.click("spec_problem");
  window.driver.wait(2);
  window.driver.click("spec_problem/1");
  window.driver.wait(3);
  CHECK(item(window, "spec_worked").label ==
        "token 0 passes with 0.20 / 0.50 = 0.40; in its place: (0.000, 0.667, 0.167, 0.167)");
  CHECK_THAT(item(window, "spec_exact_verdict").label, contains("by chance up to 16.3: it fits"));
  CHECK_THAT(item(window, "spec_zoo_verdict").label, contains("it does not fit"));
}

TEST_CASE("fewer draws than there are begin anew, and give what they gave before") {
  RuleTrial trial;
  while (trial.advance(700)) {
  }
  const std::vector<std::uint64_t> counts = trial.exact->counts();
  trial.draws = 1000;
  CHECK_FALSE(trial.advance(UINT64_MAX));
  CHECK(trial.exact->draws() == 1000);
  trial.draws = 10'000;
  CHECK_FALSE(trial.advance(UINT64_MAX));
  CHECK(trial.exact->counts() == counts);
  CHECK(trial.zoo->draws() == 10'000);
}

TEST_CASE("of a tree of guesses the judged path has cells, and the other candidates are counted") {
  OpenWindow window("S06");
  rerun(window, "proposer", "medusa-tree", 2);
  const auto& round = window.world().request(RequestId{0}).round;
  REQUIRE(round);
  REQUIRE_FALSE(round->parents.empty());
  const std::size_t others = round->tokens.size() - round->trials.size();
  CHECK_THAT(item(window, "spec/round/1").value, contains(std::to_string(others) + " other candidates"));
  for (const DraftTrial& trial : round->trials) window.driver.expect("spec/round/1/" + std::to_string(trial.node - 1));
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}
