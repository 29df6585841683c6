// A lesson in the window: its words, its questions, answered with the keyboard alone.

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/visualizer/open_window.h"

using namespace kvarium;
using namespace kvarium::ui;
using kvarium_test::contains;

TEST_CASE("A lesson is opened from the menu; Space goes from words to words and shows answers") {
  OpenWindow window;
  window.driver.click("menu_lesson");
  window.driver.click("lesson/04_paged_blocks");
  window.settle();
  window.driver.wait(120);
  CHECK(window.world().said);
  CHECK_FALSE(window.app.playback().playing);
  const auto said = [&] { return lesson_progress(window.app.run().timeline, window.position()).said; };
  const std::size_t first = said();
  for (int i = 0; i < 40 && !window.world().asked; ++i) {
    window.driver.key("Space");
    window.driver.wait(90);
  }
  CHECK(said() > first);
  REQUIRE(window.world().asked);
  window.driver.expect("space_hint", "Enter: answer. Space: show it");
  window.driver.type(window.world().asked->answer);  // the field has the keyboard
  window.driver.key("Enter");
  CHECK_THAT(window.driver.item("verdict").label, contains("Right"));
}

TEST_CASE("A choice of a lesson is answered by its letter, and Space shows the answer") {
  OpenWindow window;
  window.app.show_lesson("04_paged_blocks");
  window.settle();
  const auto to_a_choice = [&] {
    for (int i = 0; i < 60 && !(window.world().asked && !window.world().asked->choices.empty()); ++i) {
      window.driver.key("Space");
      window.driver.wait(90);
    }
  };
  to_a_choice();
  REQUIRE(window.world().asked);
  const Asked asked = *window.world().asked;
  const auto right = std::find(asked.choices.begin(), asked.choices.end(), asked.answer) - asked.choices.begin();
  window.driver.type(std::string(1, static_cast<char>('a' + right)));
  window.driver.key("Enter");
  window.driver.wait(2);
  CHECK_THAT(window.driver.item("verdict").label, contains("Right"));
}
