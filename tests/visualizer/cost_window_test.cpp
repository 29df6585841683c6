// The Heads and Roofline tabs in the window.

#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "tests/visualizer/open_window.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

namespace {

const UiItem& item(OpenWindow& window, const std::string& id) {
  const UiItem* found = window.host.ui().registry.find(id);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("key 6 shows the six models of scenario S08 and the run's own, with their sizes") {
  OpenWindow window;
  window.app.go_to_step(1);
  window.driver.key("6");
  window.driver.wait(2);
  window.driver.expect("heads/llama-2-7b", "512 KiB 16.0 GiB 1.0");
  window.driver.expect("heads/llama-3.1-8b", "128 KiB 4.00 GiB 4.0");
  window.driver.expect("heads/llama-3.1-70b", "320 KiB 10.0 GiB 8.0");
  window.driver.expect("heads/falcon-7b", "8.00 KiB 256 MiB 71.0");
  window.driver.expect("heads/qwen3-4b", "144 KiB 4.50 GiB 4.0");
  window.driver.expect("heads/deepseek-v3", "68.6 KiB 2.14 GiB 241.8");
  window.driver.expect("heads/this run's");  // 2 layers, 2 KV heads of 16
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("a model that is pressed is drawn, with its formula") {
  OpenWindow window;
  window.driver.key("6");
  window.driver.wait(2);
  CHECK(item(window, "heads_figure").value == "32 squares, 8 boxes");
  window.driver.click("heads/falcon-7b");
  window.driver.wait(2);
  CHECK(item(window, "heads_figure").value == "71 squares, 1 boxes");
  window.driver.click("heads/deepseek-v3");
  window.driver.wait(2);
  CHECK(item(window, "heads_figure").value == "128 squares, 1 boxes");
  CHECK_THAT(item(window, "heads/numbers").label, contains("61 * (512 + 64) * 2 = 70,272 B"));
  CHECK_THAT(item(window, "heads/intensity").label, contains("241.8 FLOP"));
}

TEST_CASE("the questions take an answer and then show both formulas") {
  OpenWindow window;
  window.driver.key("6");
  window.driver.wait(2);
  CHECK(window.host.ui().registry.find("trap/0/why") == nullptr);
  window.driver.click("trap/0/0");  // 90 KiB
  window.driver.wait(2);
  CHECK(item(window, "trap/0/verdict").label == "Not quite.");
  CHECK_THAT(item(window, "trap/0/wrong").label, contains("2560 / 32 = 80"));
  window.driver.click("trap/0/1");  // 144 KiB
  window.driver.wait(2);
  CHECK(item(window, "trap/0/verdict").label == "Right.");
  window.driver.click("trap/1/0");  // 68.6 KiB
  window.driver.wait(2);
  CHECK(item(window, "trap/1/verdict").label == "Right.");
}

TEST_CASE("scenario S08 opens with the tab Heads, and its KV heads are the run's own") {
  OpenWindow window("S08");
  window.app.go_to_step(1);
  window.driver.expect("heads/this run's");
  window.driver.click("heads/this run's");
  window.driver.wait(2);
  CHECK(item(window, "heads_figure").value == "6 squares, 2 boxes");
}

TEST_CASE("key 7 shows the roof, and what waits for what") {
  OpenWindow window;
  window.driver.key("7");
  window.driver.wait(2);
  window.driver.expect("dot_prefill", "3961 FLOP/B, 989 TFLOP/s, arithmetic");
  window.driver.expect("dot_decode", "1.10 FLOP/B, 3.70 TFLOP/s, memory");
  window.driver.expect("dot_attention", "4.00 FLOP/B, 13.4 TFLOP/s, memory");
  CHECK_THAT(item(window, "roofline_words/0").label, contains("First token after 62.2 ms at least"));
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("the dots move with the batch, the context, the heads and the processor") {
  OpenWindow window;
  window.driver.key("7");
  window.driver.wait(2);
  const float before = item(window, "dot_decode").rect.min_x;
  window.driver.drag("roofline_batch", 0.02F, 0.98F);
  window.driver.wait(2);
  CHECK(item(window, "dot_decode").rect.min_x > before + 20);
  window.driver.expect("dot_attention", "4.00 FLOP/B, 13.4 TFLOP/s, memory");  // a batch does not help attention
  window.driver.click("roofline_heads");
  window.driver.wait(2);
  window.driver.click("roofline_heads/3");  // MQA
  window.driver.wait(3);
  CHECK_THAT(item(window, "dot_attention").value, contains("32.0 FLOP/B"));
  window.driver.click("roofline_hardware");
  window.driver.wait(2);
  window.driver.click("roofline_hardware/0");
  window.driver.wait(3);
  CHECK_THAT(item(window, "roofline_source").label, contains("A100"));
}

TEST_CASE("this machine is measured when it is asked for, and the window goes on meanwhile") {
  OpenWindow window;
  window.driver.key("7");
  window.driver.wait(2);
  window.driver.click("roofline_measure");
  window.driver.wait(1);
  CHECK(window.driver.expect_disabled("roofline_measure") == "It is being measured");
  for (int i = 0; i < 3000 && item(window, "roofline_measure").label != "Measure this machine"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    window.driver.wait(1);
  }
  window.driver.wait(2);
  CHECK_THAT(item(window, "roofline_source").label, contains("measured just now"));
}

TEST_CASE("both tabs fit a small window") {
  OpenWindow window;
  window.host.resize(1024, 700);
  for (const char* key : {"6", "7"}) {
    window.driver.key(key);
    window.driver.wait(3);
    CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
  }
  window.driver.expect("dot_decode");
}
