// The driver uses real frames: it moves the mouse, presses keys, and reads the screen.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/words/words.h"
#include "tests/support/catch.h"
#include "tests/support/temp_path.h"
#include "visualizer/platform/headless.h"
#include "visualizer/ui/driver.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {
namespace {

/// A panel with one of everything.
struct Sample {
  int presses = 0;
  bool share = false;
  int block_size = 8;
  float temperature = 1;
  int requests = 4;
  int policy = 0;
  std::string search, prompt;
  int tab = 0;
  bool covered = false;
  bool saved = false;
  int block = -1;
  float left = 280;

  void draw(Ui& ui) {
    if (ImGui::BeginMainMenuBar()) {
      if (begin_menu(ui, "menu.file", "File")) {
        if (menu_item(ui, "menu.file.save", "Save", saved)) saved = true;
        menu_item(ui, "menu.file.open", "Open", false, {.enabled = false, .reason = "no file system here"});
        end_menu();
      }
      ImGui::EndMainMenuBar();
    }
    begin_panel(ui, "panel", "Sample", ImVec2(0, ui.px(40)), ImVec2(ui.px(400), ui.px(700)));
    draw_controls(ui);
    end_panel();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    begin_panel(ui, "middle", "", ImVec2(ui.px(400), ui.px(40)), ImVec2(ui.px(410), ui.px(700)));
    splitter(ui, "split", ImVec2(ui.px(402), ui.px(41)), ImVec2(ui.px(408), ui.px(690)), true, left, 200, 500);
    end_panel();
    ImGui::PopStyleVar();
    begin_panel(ui, "right", "", ImVec2(ui.px(410), ui.px(40)), ImVec2(ui.px(800), ui.px(700)));
    draw_lists(ui);
    end_panel();
    if (covered) {
      begin_floating(ui, "dialog", "Dialog", covered, ImVec2(1400, 880));
      button(ui, "ok", "OK");
      end_floating();
    }
  }

  void draw_controls(Ui& ui) {
    if (button(ui, "play", presses % 2 == 0 ? "Play" : "Pause")) ++presses;
    text(ui, "count", std::to_string(presses));
    button(ui, "step", "Step", {.enabled = presses > 0, .reason = "nothing was played yet"});
    icon_button(ui, "help", Icon::info, "Explain");
    checkbox(ui, "share", "Share prefixes", share);
    slider_stops(ui, "block_size", "Block size", block_size, std::array{1, 2, 4, 8, 16, 784});
    slider(ui, "temperature", "Temperature", temperature, 0, 2, temperature < 1 ? "cool" : "hot");
    input_int(ui, "requests", "Requests", requests, 1, 9);
    combo(ui, "policy", "Policy", policy, std::array<std::string, 3>{"LRU", "FIFO", "LFU"});
    input_text(ui, "search", "", search, "Search");
    input_lines(ui, "prompt", "Prompt", prompt, 60);
  }

  void draw_lists(Ui& ui) {
    if (begin_tabs(ui, "tabs")) {
      for (int i = 0; i < 3; ++i) {
        const std::string id = "tab." + std::to_string(i);
        if (begin_tab(ui, id, "Tab " + std::to_string(i))) {
          tab = i;
          end_tab();
        }
      }
      end_tabs();
    }
    const Canvas pool = canvas(ui, "pool", ImVec2(ui.px(300), ui.px(100)));
    for (int i = 0; i < 3; ++i) {
      const float x = pool.min.x + ui.px(100) * static_cast<float>(i);
      const ScreenRect rect{x, pool.min.y, x + ui.px(90), pool.max.y};
      ui.registry.add_rect("block:" + std::to_string(i), "block", "", i == 1 ? "shared" : "free", pool.id, rect);
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      if (pool.hovered && ImGui::IsMouseClicked(0) && mouse.x >= rect.min_x && mouse.x < rect.max_x) block = i;
    }
    for (int i = 0; i < 60; ++i) {
      if (row(ui, "row." + std::to_string(i), "Row " + std::to_string(i), row_is(i))) row_ = i;
    }
  }

  bool row_is(int i) const { return row_ == i; }
  int row_ = -1;
};

struct Screen {
  Headless host{1440, 900};
  Driver driver{host};
  Sample sample;
  Screen() {
    host.set_draw([this](Ui& ui) { sample.draw(ui); });
  }
  std::string value(std::string_view id) { return driver.item(id).value; }
};

/// What the call complains about; empty when it does not.
template <typename Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a click presses the button, and its new caption keeps its id") {
  Screen screen;
  screen.driver.click("play");
  CHECK(screen.sample.presses == 1);
  screen.driver.expect("play", "Pause");
  screen.driver.click("Pause");  // the only visible thing with this caption
  screen.driver.expect("count", "2");
}

TEST_CASE("every kind of control can be used by its id") {
  Screen screen;
  Driver& driver = screen.driver;
  driver.click("share");
  CHECK(screen.value("share") == "on");
  driver.drag("block_size", 0.5F, 1);
  CHECK(screen.sample.block_size == 784);
  driver.drag("block_size", 0.9F, 0);
  CHECK(screen.value("block_size") == "1");
  driver.drag("temperature", 0.5F, 0.2F);
  driver.expect("temperature", "cool");
  driver.click("policy");
  driver.click("policy/2");
  CHECK(screen.sample.policy == 2);
  driver.expect("policy", "LFU");
  driver.expect_gone("policy/2");
  driver.click("tab.2");
  CHECK(screen.sample.tab == 2);
  driver.expect("tab.2", "selected");
  driver.click("block:1");
  CHECK(screen.sample.block == 1);
  driver.expect("block:1", "shared");
  driver.click("menu.file");
  driver.click("menu.file.save");
  CHECK(screen.sample.saved);
  CHECK(screen.host.ui().registry.duplicates().empty());
}

TEST_CASE("a splitter follows the mouse and stops at its limits") {
  Screen screen;
  screen.driver.drag_by("split", 50, 0);
  CHECK(screen.sample.left == 330);
  screen.driver.drag_by("split", 600, 0);
  CHECK(screen.value("split") == "500");
  screen.driver.drag_by("split", -1000, 0);
  CHECK(screen.sample.left == 200);
}

TEST_CASE("an open menu closes when it is clicked again") {
  Screen screen;
  screen.driver.click("menu.file");
  CHECK(screen.driver.expect_disabled("menu.file.open") == "no file system here");
  screen.driver.expect("menu.file", "open");
  screen.driver.click("menu.file");
  screen.driver.expect_gone("menu.file.save");
}

TEST_CASE("text goes into the field that was clicked, and numbers stay in their range") {
  Screen screen;
  Driver& driver = screen.driver;
  driver.click("search");
  driver.type("block 3 § 键");
  CHECK(screen.sample.search == "block 3 § 键");
  driver.key("Backspace");
  CHECK(screen.sample.search == "block 3 § ");
  driver.click("prompt");
  driver.type("two\nlines");
  CHECK(screen.sample.prompt == "two\nlines");
  driver.click("requests/less");
  CHECK(screen.sample.requests == 3);
  driver.click("requests");
  driver.key("Ctrl+A");
  driver.type("77");
  driver.key("Enter");
  CHECK(screen.sample.requests == 9);
}

TEST_CASE("long text grows the field's string") {
  Screen screen;
  screen.driver.click("search");
  const std::string longer(300, 'k');
  screen.driver.type(longer);
  screen.driver.type(longer);
  CHECK(screen.sample.search == longer + longer);
}

TEST_CASE("what is out of sight is scrolled to before it is clicked") {
  Screen screen;
  screen.driver.wait(1);
  CHECK_FALSE(screen.host.ui().registry.find("row.59")->visible);
  screen.driver.click("row.59");
  CHECK(screen.value("row.59") == "selected");
  CHECK_FALSE(screen.host.ui().registry.find("row.0")->visible);
  screen.driver.wheel("row.59", 200);
  screen.driver.expect("row.0");
}

TEST_CASE("a disabled control is not clicked; its reason is named") {
  Screen screen;
  CHECK(complaint([&] {
          screen.driver.click("step");
        }).find("\"step\" is disabled (nothing was played yet); visible: ") == 0);
  CHECK(screen.driver.expect_disabled("step") == "nothing was played yet");
  screen.driver.hover("step");
  screen.driver.expect("tooltip", "nothing was played yet");
  screen.driver.click("play");
  screen.driver.click("step");
}

TEST_CASE("a control under another window is not clicked; what covers it is named") {
  Screen screen;
  screen.sample.covered = true;
  CHECK(complaint([&] { screen.driver.click("tab.1"); }) == "\"tab.1\" is covered by \"dialog\"");
  CHECK(screen.sample.tab == 0);
  screen.driver.click("ok");
  screen.sample.covered = false;
  screen.driver.click("tab.1");
  CHECK(screen.sample.tab == 1);
}

TEST_CASE("what is not there is named with what is") {
  Screen screen;
  CHECK(complaint([&] {
          screen.driver.click("paly");
        }).find("\"paly\" is not there; visible: menu.file, panel, play, count, step, help, share,") == 0);
  CHECK(complaint([&] { screen.driver.expect("count", "5"); }).find("\"count\" is \"0\", not \"5\"; visible: ") == 0);
  CHECK(complaint([&] { screen.driver.expect_gone("play"); }).find("\"play\" is still visible; visible: ") == 0);
  CHECK(complaint([&] { screen.driver.click("count"); }) == "\"count\" is a text: it takes no mouse");
}

TEST_CASE("a caption that two things share is no name") {
  Screen screen;
  screen.host.set_draw([](Ui& ui) {
    begin_panel(ui, "panel", "", ImVec2(0, 0), ImVec2(400, 400));
    button(ui, "a", "Same");
    button(ui, "b", "Same");
    end_panel();
  });
  CHECK(complaint([&] { screen.driver.click("Same"); }).find("\"Same\" is not there") == 0);
  screen.driver.click("a");
}

TEST_CASE("ids stay the same in every language") {
  set_catalogue({{"Play", "播放"}, {"Pause", "暂停"}});
  {
    Screen screen;
    screen.driver.expect("play", "播放");
    screen.driver.click("play");
    CHECK(screen.sample.presses == 1);
    screen.driver.expect("play", "暂停");
  }
  set_catalogue({});
}

TEST_CASE("the tooltip comes after a rest and names the key") {
  Screen screen;
  screen.host.ui().shortcuts.on("play", [] {});
  screen.host.set_draw([](Ui& ui) {
    begin_panel(ui, "panel", "", ImVec2(0, 0), ImVec2(400, 400));
    button(ui, "play", "Play", {.tooltip = "Play or pause", .shortcut = "play"});
    end_panel();
  });
  const UiItem play = screen.driver.item("play");
  ScriptedInput input;
  input.mouse_x = play.rect.centre_x();
  input.mouse_y = play.rect.centre_y();
  screen.host.frame(&input);
  screen.host.frame(&input);
  CHECK(screen.host.ui().registry.find("tooltip") == nullptr);
  screen.driver.hover("play");
  screen.driver.expect("tooltip", "Play or pause (Space)");
}

TEST_CASE("a script is the same as the calls, with comments and quotes") {
  Screen screen;
  CHECK(
      screen.driver.run("click play   # once\n"
                        "\n"
                        "expect count 1\n"
                        "click search\r\n"
                        "type \"a \\\"b\\\" c\"\n"
                        "key Backspace\n",
                        "test"));
  CHECK(screen.sample.search == "a \"b\" ");
  CHECK_FALSE(screen.driver.run("quit\nclick play\n", "test"));
  CHECK(screen.sample.presses == 1);
}

TEST_CASE("a wrong script names its line") {
  Screen screen;
  const auto run = [&](const char* script) { return complaint([&] { screen.driver.run(script, "demo.kvs"); }); };
  CHECK(run("click play\nexpect count 2").find("demo.kvs:2: \"count\" is \"1\", not \"2\"; visible: ") == 0);
  CHECK(run("clack play").find("demo.kvs:1: \"clack\" is no command; the commands are:\n") == 0);
  CHECK(run("wait -1") == "demo.kvs:1: \"-1\" is no whole number between 0 and 100,000");
  CHECK(run("wait 1 2") == "demo.kvs:1: \"wait\" takes 1 to 1 words, not 2");
  CHECK(run("drag block_size nan 1") == "demo.kvs:1: \"nan\" is no number between -1,000,000 and 1,000,000");
  CHECK(run("\n\ntype \"abc") == "demo.kvs:3: a quote is not closed");
  CHECK(run("key Hyper+Q") == "demo.kvs:1: there is no key \"Hyper+Q\"");
  CHECK_THROWS_AS(screen.driver.run("clack play", "x"), InputError);
  CHECK_THROWS_AS(screen.driver.run("expect nothing", "x"), ScriptFailed);
}

TEST_CASE("the dump says what is on the screen, a JSON object a line") {
  Screen screen;
  const std::string path = kvarium_test::temp_path("dump.jsonl").string();
  screen.driver.dump(path);
  std::ifstream file(path);
  std::string line, all;
  while (std::getline(file, line)) all += line.substr(0, line.find(",\"rect\"")) + "\n";
  CHECK_THAT(all, kvarium_test::contains("{\"id\":\"play\",\"kind\":\"button\",\"label\":\"Play\"\n"));
  CHECK_THAT(all,
             kvarium_test::contains("{\"id\":\"block:1\",\"kind\":\"block\",\"label\":\"\",\"value\":\"shared\"\n"));
  std::remove(path.c_str());
}

TEST_CASE("a screenshot cannot be written where there is no folder") {
  Headless host(16, 16);
  Driver driver(host);
  CHECK(complaint([&] { driver.screenshot("/no/such/folder/a.png"); }) ==
        "/no/such/folder/a.png: cannot write the file: No such file or directory");
  CHECK_THROWS_AS(driver.screenshot("/no/such/folder/a.png"), InputError);
}

}  // namespace kvarium::ui
