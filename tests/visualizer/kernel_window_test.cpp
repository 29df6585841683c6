// The Kernel tab in the window.

#include "tests/support/catch.h"
#include "tests/visualizer/open_window.h"
#include "visualizer/panels/kernel_panel.h"

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

void press(OpenWindow& window, const std::string& key, int times = 1) {
  for (int i = 0; i < times; ++i) window.driver.key(key);
  window.driver.wait(2);
}

}  // namespace

TEST_CASE("key 8 shows the kernel of scenario S11 at its start") {
  OpenWindow window;
  press(window, "8");
  CHECK(item(window, "kernel_choice").value == "attention_decode");
  CHECK(item(window, "kernel_rung").value == "warp_a_head");
  CHECK_THAT(item(window, "kernel_problem").value, contains("11 keys, a warp of 8 lanes"));
  CHECK(item(window, "kernel_steps").label == "step 0");
  CHECK(item(window, "kernel_emulated").label == "emulated, no times");
  CHECK_THAT(item(window, "lane/7").value, contains("not started"));
  CHECK_THAT(item(window, "kernel_place").label, contains("has not started"));
  CHECK_THAT(item(window, "kernel_beginning").label, contains("Blocks: 1, each of 8 threads."));
  CHECK(item(window, "kernel_input/1").label == "keys of the tokens: 1 3 2 0 5 4 1 2 ... (11 numbers)");
  CHECK(item(window, "rung/warp_a_head/1").label == "one warp a query head, one lane a key");
  CHECK(window.driver.expect_disabled("kernel_back") == "This is the start");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("scenario S11 opens with the tab Kernel, and its table is the kernel's") {
  OpenWindow window("S11");
  CHECK(item(window, "kernel_table").label.find("block table [7, 3, 12], 4 slots a block") == 0);
  window.app.go_to_step(1);
  CHECK(window.world().request(RequestId{0}).table == std::vector<BlockId>{BlockId{7}, BlockId{3}, BlockId{12}});
}

TEST_CASE("Right goes from stop to stop: slots, scores and the state of the softmax, as the kernel shows them") {
  OpenWindow window("S11");
  press(window, "Right");
  CHECK(item(window, "lane/0").value == "at stop \"found the key\" slot 28");
  CHECK(item(window, "lane/7").value == "at stop \"found the key\" slot 15");
  press(window, "Right");
  CHECK(item(window, "lane/4").value == "at stop \"score\" slot 12 score 5");
  CHECK(item(window, "token/4").value == "K");
  CHECK(item(window, "token/8").value.empty());
  press(window, "Right", 2);
  CHECK_THAT(item(window, "lane/0").value, contains("m 5 l 1.6462 acc 8.1991"));
  CHECK_THAT(item(window, "kernel_place").label, contains("attention_decode_warp.cuh:"));
  press(window, "Right", 4);
  CHECK_THAT(item(window, "lane/0").value, contains("alpha 0.3679"));
  CHECK_THAT(item(window, "lane/0").value, contains("m 6 l 1.6579 acc 13.5862"));
  CHECK(item(window, "token/10").value == "KV");
  press(window, "Right");
  CHECK_THAT(item(window, "kernel_output/0").label, contains("out: 8.195079; at most "));
  CHECK(window.driver.expect_disabled("kernel_stop") == "All threads have returned");
  CHECK_THAT(item(window, "kernel_sum/2").label, contains("= 172 bytes"));
}

TEST_CASE("Left goes back, Home to the start, End to the end") {
  OpenWindow window("S11");
  press(window, "Right", 3);
  const std::string third = item(window, "lane/2").value;
  press(window, "Right");
  press(window, "Left");
  CHECK(item(window, "lane/2").value == third);
  CHECK(item(window, "kernel_steps").label == "step 3");
  press(window, "End");
  CHECK_THAT(item(window, "lane/2").value, contains("done"));
  press(window, "Home");
  CHECK(item(window, "kernel_steps").label == "step 0");
  CHECK_THAT(item(window, "lane/2").value, contains("not started"));
}

TEST_CASE("Up and Down choose a lane, and a step of the size lane moves only that one") {
  OpenWindow window("S11");
  press(window, "Right", 2);
  press(window, "Down", 3);
  window.driver.click("kernel_lane");
  window.driver.wait(2);
  CHECK_THAT(item(window, "lane/3").value, contains("waits at __shfl_xor_sync for lanes 0-7"));
  CHECK_THAT(item(window, "lane/2").value, contains("at stop \"score\""));
  CHECK(
      item(window, "kernel_thread").label.find("thread 3: waits at __shfl_xor_sync for lanes 0-7 (lane_groups.cuh:") ==
      0);
  CHECK_THAT(item(window, "kernel_place").label, contains("lane_groups.cuh:"));
  press(window, "Up");
  CHECK_THAT(item(window, "kernel_thread").label, contains("thread 2"));
  press(window, "K");  // the keys now step by warps
  press(window, "Right");
  CHECK_THAT(item(window, "lane/2").value, contains("can go on"));  // the last of them came
}

TEST_CASE("a line of the counts that is pressed shows its requests with their masks") {
  OpenWindow window("S11");
  press(window, "End");
  std::string keys;
  for (const UiItem& shown : window.host.ui().registry.items()) {
    if (shown.label.find("reads keys") == 0 && shown.kind == "row") keys = shown.id;
  }
  REQUIRE_FALSE(keys.empty());
  CHECK(item(window, keys).value == "2 requests, 68.75 %, 44 B, 3 / 2");
  window.driver.click(keys);
  window.driver.wait(2);
  CHECK_THAT(item(window, "kernel_request").label, contains("lanes 11 of 16, 68.75 %"));
  CHECK(item(window, "request/0").value == "########");
  CHECK(item(window, "request/0").label == "sectors 2, fewest 1");
  CHECK(item(window, "request/1").value == "###.....");
}

TEST_CASE("another kernel, rung, problem and block") {
  OpenWindow window("S11");
  window.driver.click("kernel_choice");
  window.driver.wait(2);
  window.driver.click("kernel_choice/7");
  window.driver.wait(2);
  CHECK(item(window, "kernel_choice").value == "rms_norm");
  window.driver.click("kernel_rung");
  window.driver.wait(2);
  window.driver.click("kernel_rung/2");
  window.driver.wait(2);
  CHECK(item(window, "kernel_block").value == "block 0 of 2");
  CHECK(item(window, "warp/1").value == std::string(32, '.'));
  window.driver.click("kernel_phase");
  window.driver.wait(2);
  CHECK(item(window, "warp/1").value == std::string(32, '>'));  // through the barrier
  CHECK_THAT(item(window, "kernel_shared_text").label, contains("2 elements are written"));
  window.driver.click("warp/1");
  window.driver.wait(2);
  item(window, "lane/32");
  window.driver.click("kernel_block");
  window.driver.wait(2);
  window.driver.click("kernel_block/1");
  window.driver.wait(2);
  CHECK(item(window, "kernel_steps").label == "step 0");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("a step that a lesson points at is one of the first block, whichever was looked at before") {
  KernelPanelState state;
  const cuda::demos::DemoPlace two_blocks = cuda::demos::find_demo("rms_norm", "block_a_token", "");
  state.show(two_blocks);
  state.go_to(cuda::demos::StepSize::lane, 1);
  const std::string first = state.kernel->threads().waiting();
  state.kernel->use_block(1);
  state.thread = 5;
  state.show(two_blocks);
  state.go_to(cuda::demos::StepSize::lane, 1);
  CHECK(state.kernel->block() == 0);
  CHECK(state.thread == 0);
  CHECK(state.kernel->threads().waiting() == first);
}

TEST_CASE("the whole tab is text too") {
  OpenWindow window("S11");
  press(window, "Right", 2);
  window.driver.click("kernel_text_button");
  window.driver.wait(2);
  const std::string text = item(window, "kernel_text").label;
  CHECK_THAT(text, contains("slot    28  29  30  31 |  12  13  14  15 |  48  49  50\n"));
  CHECK_THAT(text, contains("emulated, no times"));
  CHECK_THAT(text, contains("SIMT_PAUSE(\"score\");"));
}

TEST_CASE("the tab fits a small window, in both themes") {
  OpenWindow window("S11");
  press(window, "Right", 2);
  window.host.resize(1024, 700);
  for (int i = 0; i < 2; ++i) {
    window.driver.wait(3);
    CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
    window.driver.expect("lane/0");
    window.driver.expect("kernel_emulated");
    window.driver.expect("kernel_place");
    press(window, "T");
  }
}
