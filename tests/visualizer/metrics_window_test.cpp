// The Metrics tab, compare mode and the tab Why? in the window.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/temp_path.h"
#include "tests/visualizer/open_window.h"
#include "visualizer/layout/step_chart.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

namespace {

std::string label_of(OpenWindow& window, const std::string& id) {
  const UiItem* item = window.host.ui().registry.find(id);
  return item == nullptr ? "nothing" : item->label;
}

}  // namespace

TEST_CASE("key 4 shows the run in numbers, which follow the moment") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.driver.key("4");
  window.driver.wait(2);
  window.driver.expect("chart_memory", "held 19 %, empty of that 29 %");
  window.driver.expect("chart_requests", "running 1, waiting 0");
  CHECK(label_of(window, "metrics/0") == "Step 1: 1 running, 0 waiting, 0 preempted, 0 finished, 0 aborted");
  window.app.go_to_step(48);
  window.driver.wait(2);
  window.driver.expect("chart_requests", "running 0, waiting 0");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("a press on a chart travels to that step") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.driver.key("4");
  window.driver.wait(2);
  window.driver.click("chart_memory");
  window.driver.wait(2);
  CHECK(window.step() > 15);
  CHECK(window.step() < 35);
}

TEST_CASE("the metrics are saved as the file's name says") {
  OpenWindow window;
  window.app.go_to_step(1);
  const std::string path = kvarium_test::temp_path("metrics.prom").string();
  window.driver.click("menu_file");
  window.driver.wait(2);
  window.driver.click("save_metrics");
  window.driver.wait(3);
  window.driver.key("Ctrl+A");
  window.driver.type(path);
  window.driver.click("path_ok");
  window.driver.wait(3);
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  CHECK_THAT(text.str(), contains("# TYPE vllm:kv_cache_usage_perc gauge"));
}

TEST_CASE("Ctrl+K runs the scenario again with another block size and shows both at the same step") {
  OpenWindow window;
  window.app.go_to_step(10);
  window.app.compare_with("block_size", "16");
  window.app.finish_run();
  window.driver.wait(3);
  CHECK(label_of(window, "compare_left") == "block_size = 8");
  CHECK(label_of(window, "compare_right") == "block_size = 16");
  window.driver.expect("compare_left", "step 10");
  window.driver.expect("compare_right", "step 10");
  CHECK(label_of(window, "compare/7") == "-2");  // blocks in use: 4 of 8 tokens, 2 of 16
  window.app.go_to_step(20);
  window.driver.wait(2);
  window.driver.expect("compare_right", "step 20");
  window.driver.key("Ctrl+K");
  window.driver.wait(3);
  CHECK(window.host.ui().registry.find("compare_right") == nullptr);
  CHECK_THROWS_WITH(window.app.compare_with("colour", "3"), contains("block_size"));
}

TEST_CASE("Ctrl+K needs no mouse and chooses what to compare by itself") {
  OpenWindow window;
  window.app.go_to_step(10);
  window.driver.key("Ctrl+K");
  window.driver.wait(2);
  window.app.finish_run();
  window.driver.wait(2);
  window.driver.expect("compare_right", "step 10");
  window.driver.key("Esc");
  window.driver.wait(2);
  CHECK(window.host.ui().registry.find("compare_left") == nullptr);
}

TEST_CASE("Shift+Enter tells why, of the selected request") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.driver.key("Shift+Enter");
  window.driver.wait(3);
  CHECK(label_of(window, "why/1") == "Tokens 0 to 16: This engine has no prefix cache.");
}

TEST_CASE("a chart's line keeps the smallest and the largest of many steps in a pixel") {
  std::vector<double> values(10000, 0.5);
  values[1234] = 1;
  values[8765] = 0;
  const auto points = layout::step_line(values, 1, {10, 20, 100, 50});
  CHECK(points.size() <= 400);
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), [](auto a, auto b) { return a.y < b.y; });
  CHECK(low->y == 20);
  CHECK(high->y == 70);
  CHECK(layout::step_line({}, 1, {10, 20, 100, 50}).empty());
}
