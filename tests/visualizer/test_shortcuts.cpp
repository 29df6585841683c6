// Keys and what they do.

#include <set>

#include "core/error.h"
#include "tests/support/catch.h"
#include "visualizer/platform/headless.h"
#include "visualizer/ui/driver.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {

TEST_CASE("keys have names that can be read back") {
  for (const char* name : {"Space", "Ctrl+K", "Shift+Right", "F11", "Ctrl+=", "0", "Backspace", "Ctrl+Alt+Shift+X"}) {
    REQUIRE(parse_chord(name).has_value());
    CHECK(name_of(*parse_chord(name)) == name);
  }
  CHECK(parse_chord("ctrl+k") == parse_chord("Ctrl+K"));
  CHECK(parse_chord("?") == Chord{Key::slash, {.shift = true}, 0});
  CHECK_FALSE(parse_chord("").has_value());
  CHECK_FALSE(parse_chord("Ctrl+").has_value());
  CHECK_FALSE(parse_chord("F13").has_value());
  CHECK(character_of(*parse_chord("Shift+/")) == '?');
  CHECK(character_of(*parse_chord("g")) == 'g');
  CHECK(character_of(*parse_chord("Ctrl+G")) == 0);
}

TEST_CASE("no key and no id stands twice in the table") {
  std::set<std::string> keys;
  std::set<std::string_view> ids;
  for (const Shortcut& entry : Shortcuts::table()) {
    INFO(entry.id);
    CHECK(keys.insert(name_of(entry.chord)).second);
    CHECK(ids.insert(entry.id).second);
    CHECK_FALSE(entry.help.empty());
  }
}

TEST_CASE("a press is kept until the next frame, and only those with an action are taken and listed") {
  Shortcuts shortcuts;
  int steps = 0;
  shortcuts.on("step_forward", [&steps] { ++steps; });
  CHECK(shortcuts.press(*parse_chord("Right"), {}));
  CHECK(shortcuts.press(*parse_chord("Right"), {}));
  CHECK_FALSE(shortcuts.press(*parse_chord("Left"), {}));
  CHECK(steps == 0);
  shortcuts.dispatch();
  CHECK(steps == 2);
  shortcuts.dispatch();
  CHECK(steps == 2);
  REQUIRE(shortcuts.registered().size() == 1);
  CHECK(shortcuts.registered()[0].id == "step_forward");
  CHECK(shortcuts.key_name("step_forward") == "Right");
  CHECK(shortcuts.key_name("step_back").empty());
  shortcuts.on("step_forward", {});
  CHECK_FALSE(shortcuts.press(*parse_chord("Right"), {}));
  CHECK_THROWS_AS(shortcuts.on("no such thing", [] {}), MisuseError);
}

TEST_CASE("an action may change the table") {
  Shortcuts shortcuts;
  int calls = 0;
  shortcuts.on("theme", [&] {
    ++calls;
    shortcuts.on("theme", {});
  });
  shortcuts.press(*parse_chord("T"), {});
  shortcuts.press(*parse_chord("T"), {});
  shortcuts.dispatch();
  CHECK(calls == 1);
}

TEST_CASE("while a text field has the keyboard, letters are text and no shortcuts") {
  Headless host(800, 600);
  Driver driver(host);
  int toggles = 0;
  std::string words;
  host.ui().shortcuts.on("theme", [&] { ++toggles; });
  host.ui().shortcuts.on("keys", [&] { ++toggles; });
  host.set_draw([&](Ui& ui) {
    begin_panel(ui, "panel", "", ImVec2(0, 0), ImVec2(400, 400));
    input_text(ui, "words", "Words", words);
    end_panel();
  });
  driver.key("T");
  driver.key("?");
  CHECK(toggles == 2);
  driver.click("words");
  driver.key("T");
  driver.key("?");
  CHECK(toggles == 2);
  CHECK(words == "t?");
  driver.key("Enter");
  driver.key("T");
  CHECK(toggles == 3);
  CHECK(words == "t?");
}

TEST_CASE("an open menu keeps the arrow keys and Escape, other keys still work") {
  Headless host(800, 600);
  Driver driver(host);
  int steps = 0, themes = 0, left = 0;
  host.ui().shortcuts.on("step_forward", [&] { ++steps; });
  host.ui().shortcuts.on("theme", [&] { ++themes; });
  host.ui().shortcuts.on("leave", [&] { ++left; });
  host.set_draw([](Ui& ui) {
    if (ImGui::BeginMainMenuBar()) {
      if (begin_menu(ui, "menu.file", "File")) {
        menu_item(ui, "menu.file.save", "Save");
        end_menu();
      }
      ImGui::EndMainMenuBar();
    }
  });
  driver.key("Right");
  CHECK(steps == 1);
  driver.click("menu.file");
  driver.key("Right");
  driver.key("T");
  driver.key("Esc");
  driver.expect_gone("menu.file.save");
  CHECK(steps == 1);
  CHECK(themes == 1);
  CHECK(left == 0);
  driver.key("Esc");
  CHECK(left == 1);
}

}  // namespace kvarium::ui
