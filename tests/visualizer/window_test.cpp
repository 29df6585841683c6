// The whole window without a display: real frames, real keys, real clicks on things by their id.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "core/trace/trace_io.h"
#include "tests/support/catch.h"
#include "tests/support/temp_path.h"
#include "tests/visualizer/open_window.h"

#include <imgui_internal.h>

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

namespace {

/// Not a comparison of vectors in the check itself: a failure would print 1.3 million numbers.
bool same_picture(const Image& one, const Image& other) {
  return one.width == other.width && one.height == other.height && one.pixels == other.pixels;
}

std::string temporary(const std::string& name) { return kvarium_test::temp_path(name).string(); }

}  // namespace

TEST_CASE("The arrow keys step forward and back, Home and End go to the ends") {
  OpenWindow window;
  CHECK(window.position() == 0);
  window.driver.key("Right");
  window.driver.key("Right");
  CHECK(window.step() == 1);
  window.driver.key("Left");
  CHECK(window.step() == 0);
  window.driver.key("End");
  CHECK(window.position() == window.app.run().trace.size());
  window.driver.key("Home");
  CHECK(window.position() == 0);
}

TEST_CASE("Space plays to the end and stops there") {
  OpenWindow window;
  for (int i = 0; i < 6; ++i) window.driver.key("=");
  window.driver.expect("speed", "max");
  window.driver.key("Space");
  CHECK(window.app.playback().playing);
  window.driver.wait(60);
  CHECK_FALSE(window.app.playback().playing);
  CHECK(window.position() == window.app.run().trace.size());
  window.driver.expect("playhead", std::to_string(window.app.run().trace.size()));
  window.driver.expect_disabled("step_forward");
}

TEST_CASE("Stepping back to the start and forward again shows the same pictures") {
  OpenWindow window;
  window.app.go_to_step(22);  // around the moment when the table grows
  std::map<std::size_t, std::string> seen;
  std::map<std::size_t, Image> pictures;
  for (int i = 0; i < 6; ++i) {
    window.driver.key("Right");
    window.driver.wait(2);
    seen[window.position()] = window.host.ui().registry.dump();
  }
  pictures[window.position()] = window.host.screenshot();
  const std::size_t last = window.position();
  window.driver.key("Home");
  window.driver.wait(2);
  const std::string start = window.host.ui().registry.dump();
  for (int i = 0; i < 100 && window.position() < last; ++i) {
    window.driver.key("Right");
    window.driver.wait(2);
    const auto before = seen.find(window.position());
    if (before != seen.end()) CHECK(window.host.ui().registry.dump() == before->second);
  }
  CHECK(same_picture(window.host.screenshot(), pictures[last]));
  for (int i = 0; i < 100 && window.position() > 0; ++i) window.driver.key("Left");
  CHECK(window.position() == 0);
  window.driver.wait(2);
  CHECK(window.host.ui().registry.dump() == start);
}

TEST_CASE("With motion, the same picture is reached once the change is over") {
  OpenWindow window;  // one run for both: another run would show another time in the status line
  const auto one_step_back = [&window](bool reduce_motion) {
    window.driver.key("Home");
    window.app.reduce_motion(reduce_motion);
    for (int i = 0; i < 3; ++i) window.driver.key("Right");
    window.driver.key("Left");
    Image during = window.host.screenshot();
    window.driver.wait(30);
    return std::make_pair(std::move(during), window.host.screenshot());
  };
  const Image still = one_step_back(true).second;
  const auto [during, after] = one_step_back(false);
  CHECK(same_picture(after, still));
  CHECK_FALSE(same_picture(during, after));
}

TEST_CASE("A changed parameter is marked, runs, and can be put back") {
  OpenWindow window;
  window.driver.expect("block_size", "8");
  window.driver.expect_disabled("reset_all");
  window.driver.drag("block_size", 0.5F, 0.02F);
  window.driver.expect("block_size", "1");
  window.driver.expect("block_size/reset");
  window.app.set_parameter("num_blocks", "128");
  window.driver.click("run");
  window.settle();
  CHECK(window.app.form_error() == "");
  CHECK(window.app.run().trace.newest().block_size == 1);
  window.driver.click("reset_all");
  window.driver.expect("block_size", "8");
  window.driver.expect_gone("block_size/reset");
}

TEST_CASE("A choice is made with the mouse or with the keyboard, and runs") {
  OpenWindow window("own");
  window.driver.click("prefix_cache");
  window.driver.click("prefix_cache/1");
  window.driver.expect("prefix_cache", "hash: full blocks (vLLM)");
  window.driver.expect("prefix_cache/reset");
  window.driver.click("prefix_cache");
  window.driver.key("Down");
  window.driver.key("Space");
  window.driver.expect("prefix_cache", "radix: a tree (SGLang)");
  window.driver.click("run");
  window.settle();
  CHECK(window.app.form_error() == "");
  CHECK_FALSE(window.app.run().trace.newest().radix.empty());
}

TEST_CASE("Parameters that cannot run are refused in one line, and the run that is shown stays") {
  OpenWindow window;
  window.app.set_parameter("num_blocks", "2");
  const std::size_t events = window.app.run().trace.size();
  window.driver.click("run");
  window.driver.expect("form_error");
  CHECK_THAT(window.app.form_error(), contains("num_blocks is 2"));
  CHECK(window.app.run().trace.size() == events);
}

TEST_CASE("An empty prompt and a model file that is missing are refused in one line") {
  OpenWindow window("own");
  window.driver.click("prompt");
  window.driver.key("Ctrl+A");
  window.driver.key("Delete");
  window.driver.click("run");
  window.driver.expect("form_error");
  CHECK_THAT(window.app.form_error(), contains("prompt is empty"));
  window.driver.click("reset_all");
  window.app.set_parameter("model_path", "/nowhere/model.bin");
  window.app.set_parameter("tokenizer_path", "/nowhere/tok.bin");
  window.driver.click("run");
  window.settle();
  window.driver.expect("toast");
  CHECK_THAT(window.app.message(), contains("/nowhere/"));
  window.driver.click("close_toast");
  window.driver.expect_gone("toast");
}

TEST_CASE("The log can be searched, and a click on an event goes to the moment after it") {
  OpenWindow window;
  window.driver.key("/");
  window.driver.wait(2);
  window.driver.type("takes block 5");
  window.driver.wait(2);
  window.driver.expect("found", "1 found");
  std::string event;
  for (const UiItem& item : window.host.ui().registry.items()) {
    if (item.id.rfind("event/", 0) == 0) event = item.id;
  }
  CHECK_THAT(window.driver.item(event).label, contains("takes block 5"));
  window.driver.click(event);
  CHECK(event == "event/" + std::to_string(window.position() - 1));
  CHECK(window.world().request(RequestId{0}).table.back() == BlockId{5});
}

TEST_CASE("A selected token shows the arithmetic of its address") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.app.select_target(Target::token(RequestId{0}, 13));
  window.driver.wait(2);
  CHECK_THAT(window.driver.item("arithmetic").value, contains("13 / 8 = 1 -> table[1] = 3 -> 3 * 8 + 13 % 8 = 29"));
  window.driver.click("table:A[2]");
  window.driver.wait(2);
  CHECK_THAT(window.driver.item("arithmetic").value, contains("table[2] = 12"));
  window.driver.click("block:14");
  window.driver.expect("object_title", "block 14");
}

TEST_CASE("The pool map says what is in each block") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.driver.wait(2);
  window.driver.expect("block:7", "A 8/8");
  window.driver.expect("block:12", "A 1/8");
  window.driver.expect("block:5", "free");
  window.driver.expect("table:A[1]", "3");
}

TEST_CASE("T changes the theme, ? shows the keys, Esc takes them away") {
  OpenWindow window;
  window.driver.key("T");
  window.driver.wait(2);
  CHECK(window.host.ui().theme().name == ThemeName::light);
  window.driver.key("?");
  window.driver.expect("keys_title");
  window.driver.key("Esc");
  window.driver.expect_gone("keys_title");
}

TEST_CASE("In a small window the right side is a drawer") {
  OpenWindow window;
  window.driver.expect("inspector");
  window.host.resize(1024, 700);
  window.driver.wait(2);
  window.driver.expect_gone("inspector");
  window.driver.key("F2");
  window.driver.expect("inspector");
  window.driver.click("tab_twin");
  window.driver.expect("twin");
}

TEST_CASE("S01 counts 92 against 15 computations and 596 against 120 scores") {
  OpenWindow window("S01");
  window.driver.key("End");
  window.driver.wait(2);
  window.driver.expect("work/A", "92 0");
  CHECK(window.driver.item("work/B").value.rfind("15 ", 0) == 0);
  CHECK(window.world().request(RequestId{0}).work.score_products == 596);
  CHECK(window.world().request(RequestId{1}).work.score_products == 120);
}

TEST_CASE("The first hint opens no window but its own") {
  OpenWindow window;
  window.app.show_hint(true);
  window.driver.wait(2);
  window.driver.expect("hint");
  const ImGuiWindow* fallback = ImGui::FindWindowByName("Debug##Default");
  CHECK((fallback == nullptr || !fallback->Active));
}

TEST_CASE("G leads to a step and to a block") {
  OpenWindow window;
  const auto go = [&](const char* place) {
    window.driver.key("G");
    window.driver.wait(2);
    window.driver.type(place);
    window.driver.key("Enter");
    window.driver.wait(2);
  };
  go("s9");
  CHECK(window.step() == 9);
  go("b12");
  window.driver.expect("object_title", "block 12");
  go("nonsense");
  CHECK_THAT(window.app.message(), contains("nonsense"));
}

TEST_CASE("A broken invariant pauses the playing and is said in words") {
  const std::string path = temporary("broken.jsonl");
  Trace broken;
  broken.emit(PoolCreated{4, {BlockId{0}, BlockId{1}}});
  broken.emit(RequestArrived{RequestId{0}, {TokenId{1}}, 4});
  broken.emit(StepStarted{1});
  broken.emit(RequestAdmitted{RequestId{0}});
  broken.emit(BlockAllocated{RequestId{0}, BlockId{0}});
  broken.emit(RequestFinished{RequestId{0}, FinishReason::max_tokens});  // and still holds block 0
  for (std::uint64_t step = 2; step < 9; ++step) broken.emit(StepStarted{step});
  write_trace(path, broken);
  OpenWindow window;
  window.app.show_trace(path);
  std::filesystem::remove(path);
  window.driver.wait(2);
  for (int i = 0; i < 6; ++i) window.driver.key("=");
  window.driver.key("Space");
  window.driver.wait(20);
  CHECK_FALSE(window.app.playback().playing);
  CHECK(window.step() == 1);
  CHECK(window.driver.item("invariants").label[0] == '!');
  window.driver.expect("toast");
}

TEST_CASE("A trace is saved and opened again from the menu") {
  const std::string path = temporary("round_trip.jsonl");
  OpenWindow window;
  window.driver.click("menu_file");
  window.driver.click("save_trace");
  window.driver.click("path");
  window.driver.key("Ctrl+A");
  window.driver.type(path);
  window.driver.click("path_ok");
  window.driver.wait(2);
  REQUIRE(std::filesystem::exists(path));
  const World saved = window.app.run().trace.newest();
  window.driver.click("scenario_choice");
  window.driver.click("scenario_choice/0");
  window.settle();
  window.driver.click("menu_file");
  window.driver.click("open_trace");
  window.driver.click("path");
  window.driver.type(path);
  window.driver.click("path_ok");
  window.driver.wait(2);
  CHECK(window.app.run().trace.newest() == saved);
  std::filesystem::remove(path);
}

TEST_CASE("A trace that is missing is one line, and the run stays") {
  OpenWindow window;
  const std::size_t events = window.app.run().trace.size();
  window.driver.click("menu_file");
  window.driver.click("open_trace");
  window.driver.click("path");
  window.driver.type("/nowhere/at_all.jsonl");
  window.driver.click("path_ok");
  window.driver.expect("toast");
  CHECK_THAT(window.app.message(), contains("/nowhere/at_all.jsonl"));
  CHECK(window.app.run().trace.size() == events);
}

TEST_CASE("No two things on the screen have the same id, at any level of detail") {
  for (const std::string scenario : {"S01", "S02", "own"}) {
    OpenWindow window(scenario);
    CAPTURE(scenario);
    for (const char* tab : {"tab_blocks", "tab_work"}) {
      window.driver.click(tab);
      window.driver.key("End");
      window.driver.wait(2);
      CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
    }
  }
}

TEST_CASE("A pool of 17,400 blocks is one picture that repaints only what changed") {
  OpenWindow window("own");
  window.app.set_parameter("num_blocks", "17400");
  window.driver.click("run");
  window.settle();
  window.driver.key("End");
  window.driver.wait(2);
  CHECK(window.world().blocks.size() == 17400);
  window.driver.expect("blocks");
}

TEST_CASE("A legend chip isolates its state, and Esc shows all again") {
  OpenWindow window;
  window.app.go_to_step(3);
  window.driver.wait(2);
  const Image all = window.host.screenshot();
  window.driver.click("state/free");
  window.driver.expect("state/free", "on");
  CHECK_FALSE(same_picture(window.host.screenshot(), all));
  window.driver.key("Esc");
  window.driver.expect("state/free", "off");
}
