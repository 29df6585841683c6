// The Attention tab in the window.

#include "tests/support/catch.h"
#include "tests/visualizer/open_window.h"
#include "tests/visualizer/show_run.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

namespace {

/// The window at a step, the numbers of the tab computed.
struct AttentionWindow : OpenWindow {
  explicit AttentionWindow(const std::string& scenario = "S02", std::uint64_t step = 3) : OpenWindow(scenario) {
    app.go_to_step(step);
    driver.key("5");
    settle();
  }
  std::string label(const std::string& id) {
    const UiItem* item = host.ui().registry.find(id);
    return item == nullptr ? "nothing" : item->label;
  }
};

}  // namespace

TEST_CASE("Key 5 shows whose token looks at what, only as far as it is computed") {
  AttentionWindow window;
  window.driver.expect("attention_map", "19 of 20 rows");  // 17 of the prompt, then one a step
  CHECK_THAT(window.label("probe_origin"), contains("computed again from the tokens by the same model (tales-target)"));
  window.app.go_to_step(1);
  window.driver.expect("attention_map", "17 of 18 rows");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("Keys choose layer and head, and stay within the model") {
  AttentionWindow window;
  window.driver.expect("head/0", "selected");
  window.driver.key(".");
  window.driver.expect("head/1", "selected");
  for (int i = 0; i < 9; ++i) window.driver.key(".");
  window.driver.expect("head/5", "selected");
  for (int i = 0; i < 9; ++i) window.driver.key("PageDown");
  window.settle();
  CHECK(window.label("attention_map") == "layer 5 head 5");
  window.driver.key(",");
  window.settle();
  CHECK(window.label("attention_map") == "layer 5 head 4");
  window.driver.click("head/0");
  window.driver.expect("head/0", "selected");
}

TEST_CASE("The keys walk over the cells, and the card gives the formula with its numbers") {
  AttentionWindow window;
  for (int i = 0; i < 3; ++i) window.driver.key("Ctrl+Shift+Down");
  window.driver.key("Ctrl+Shift+Right");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_card"), contains("token 2") && contains("looks at 1") && contains("q2 · k1 = "));
  for (int i = 0; i < 2; ++i) window.driver.key("Ctrl+Shift+Right");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_card"), contains("it comes later (causal mask)"));
  for (int i = 0; i < 40; ++i) window.driver.key("Ctrl+Shift+Down");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_card"), contains("not computed yet at this step"));
  window.driver.key("Esc");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_card"), contains("Rows: the tokens that look."));
}

TEST_CASE("V shows K and V beside the blocks that hold them, and in which slot each number lies") {
  AttentionWindow window;
  window.driver.key("V");
  window.driver.expect("keys_map", "19 of 20 rows");
  window.driver.expect("values_map", "19 of 20 rows");
  for (int i = 0; i < 14; ++i) window.driver.key("Ctrl+Shift+Down");
  window.driver.wait(2);
  // S02's golden numbers: position 13 is in logical block 1, block 3, slot 29.
  CHECK_THAT(window.label("probe_card"), contains("K[13][0] = ") && contains("logical block 1 is block 3: slot 29"));
  window.driver.hover("values_map");
  CHECK_THAT(window.label("probe_card"), contains("V["));
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("Both views are there as text, to be copied") {
  AttentionWindow window;
  window.driver.click("probe_text_button");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_text"), contains("Attention of layer 0, query head 0 (reads KV head 0)"));
  window.driver.click("copy_probe");
  window.driver.expect("toast", "Copied.");
  window.driver.key("V");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_text"), contains("K of layer 0, KV head 0, positions 0 to 18"));
}

TEST_CASE("A run without a cache computes every row in every step") {
  AttentionWindow window("S01", 2);
  window.driver.expect("attention_map", "9 of 10 rows");
  window.driver.key("V");
  window.driver.key("Ctrl+Shift+Down");
  window.driver.wait(2);
  CHECK_THAT(window.label("probe_card"), contains("kept nowhere: used once and thrown away"));
}

TEST_CASE("Nothing computed, or a recording whose model is not open: the tab says what to do") {
  OpenWindow window;
  window.driver.key("5");
  window.settle();
  CHECK_THAT(window.host.ui().registry.find("attention_empty")->label, contains("Press Space"));
  kvarium_test::Bench bench(8);
  bench.engine.submit(kvarium_test::ask("abcdef", 3));
  bench.run();
  kvarium_test::show_run(window, bench);
  window.app.go_to_step(1);
  window.driver.key("5");
  window.settle();
  CHECK_THAT(window.host.ui().registry.find("attention_no_model")->label, contains("File > Open a model"));
}
