// The Radix tab in the window: scenario S05's tree, drawn from the events of an engine.

#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"
#include "tests/visualizer/show_run.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::Bench;
using kvarium_test::contains;
using kvarium_test::show_run;

namespace {

/// Page 1, 16 slots: after step 4 [1,2,3]{[4,5]{[6,7,8]{[14]}, [9,10,11]}, [12,13]}; step 5 evicts [9,10,11].
void show_s05(OpenWindow& window) {
  Bench bench(16, [](EngineConfig& config) {
    config.block_size = 1;
    config.prefix_cache.kind = PrefixCaching::radix;
  });
  for (const char* prompt : {"bcdefghi", "bcdefjkl", "bcdmn", "bcdefghio", "uvwx"}) {
    bench.engine.submit(kvarium_test::ask(prompt, 1));
    bench.run();
  }
  show_run(window, bench);
}

std::string node_with(OpenWindow& window, const std::string& preview) {
  for (const UiItem& item : window.host.ui().registry.items())
    if (item.kind == "node" && item.label == preview) return item.id;
  return "";
}

}  // namespace

TEST_CASE("key 3 shows the radix tree, its nodes and the pool that holds them") {
  OpenWindow window;
  show_s05(window);
  window.app.go_to_step(4);
  window.driver.key("3");
  window.driver.wait(2);
  const std::string root_of_all = node_with(window, "bcd"), leaf = node_with(window, "jkl");
  window.driver.expect(root_of_all, "3 tokens");
  window.driver.expect(leaf, "3 tokens");
  window.driver.expect("block:0", "n" + root_of_all.substr(5));
  window.driver.expect("block:14", "");
  CHECK(window.host.ui().registry.duplicates() == std::vector<std::string>{});
}

TEST_CASE("a click on a node selects it, and the arrow keys move through the tree") {
  OpenWindow window;
  show_s05(window);
  window.app.go_to_step(4);
  window.driver.key("3");
  window.driver.wait(2);
  const auto expect_selected = [&window](const std::string& preview) {
    window.driver.wait(2);
    const std::string id = node_with(window, preview);
    CAPTURE(preview, id);
    window.driver.expect("object_title", "node " + id.substr(5) + " of the radix tree");
  };
  window.driver.click(node_with(window, "ef"));
  expect_selected("ef");
  window.driver.key("Shift+Up");
  expect_selected("bcd");
  window.driver.key("Shift+Down");
  expect_selected("ef");
  window.driver.key("Down");
  expect_selected("ghi");
  window.driver.key("Up");
  expect_selected("ef");
}

TEST_CASE("an evicted node leaves the tree, its tombstone stays for the step, its blocks are handed out") {
  OpenWindow window;
  show_s05(window);
  window.app.go_to_step(5);
  window.driver.key("3");
  window.driver.wait(2);
  CHECK(node_with(window, "jkl") == "");
  const std::string fresh = node_with(window, "uvwx");
  REQUIRE(fresh != "");
  for (const char* block : {"block:14", "block:15", "block:8", "block:9"})
    window.driver.expect(block, "n" + fresh.substr(5));
  window.driver.key("1");
  window.driver.wait(2);
  window.driver.expect("block:8", "cached 1/1 tree evicted");
  window.driver.expect("block:10", "free, evicted");
}

TEST_CASE("with motion the tree comes to the same picture as without, forward and back") {
  OpenWindow window;
  show_s05(window);
  window.driver.key("3");
  const auto picture_at = [&window](bool reduce, const char* key) {
    window.app.reduce_motion(true);
    window.app.go_to_step(key[0] == 'R' ? 4 : 5);
    window.driver.wait(2);
    window.app.reduce_motion(reduce);
    window.driver.key(key);
    const Image during = window.host.screenshot();
    window.driver.wait(60);
    return std::make_pair(during.pixels, window.host.screenshot().pixels);
  };
  for (const char* key : {"Right", "Left"}) {
    CAPTURE(key);
    const auto still = picture_at(true, key), moving = picture_at(false, key);
    CHECK((still.second == moving.second));
    CHECK((moving.first != moving.second));
  }
}

TEST_CASE("a hash cache is drawn as chains, and a run without a cache says what to do") {
  OpenWindow window;
  window.driver.key("3");
  window.driver.wait(2);
  CHECK_THAT(window.driver.item("radix_empty").label, contains("Press Space"));
  window.driver.key("End");
  window.driver.wait(2);
  CHECK_THAT(window.driver.item("radix_empty").label, contains("S05"));
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  for (const char* prompt : {"abcdefghijkl", "abcdefghxyzw"}) bench.engine.submit(kvarium_test::ask(prompt, 2));
  bench.run();
  show_run(window, bench);
  window.driver.key("End");
  window.driver.key("3");
  window.driver.wait(2);
  window.driver.expect(node_with(window, "abcdefgh"), "8 tokens");
  window.driver.expect(node_with(window, "xyzw"), "4 tokens");
}

TEST_CASE("words that point at a node bring the tree to the front and frame the node") {
  OpenWindow window;
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  bench.engine.submit(kvarium_test::ask("abcdefgh", 1));
  bench.run();
  bench.sink.emit(Said{"This node keeps it.", {"node:1"}});
  show_run(window, bench);
  window.driver.key("End");
  window.driver.wait(2);
  window.driver.expect("node:1", "8 tokens");
}
