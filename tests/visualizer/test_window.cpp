// The real window: OpenGL, GLFW and, when xdotool is there, a real mouse and keyboard. Needs a display; CMake runs it
// under Xvfb. Without a display the cases say so and pass.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "tests/support/catch.h"
#include "visualizer/platform/im_compat.h"
#include "visualizer/platform/window.h"
#include "visualizer/ui/driver.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {
namespace {

constexpr Colour kMark = rgb(0xD55E00);

struct Shown {
  int presses = 0;
  int toggles = 0;
  std::string words;

  void draw(Ui& ui) {
    begin_panel(ui, "panel", "", ImVec2(0, 0), ImVec2(ui.px(400), ui.px(300)));
    if (button(ui, "play", "Play", {.width = 200})) ++presses;
    input_text(ui, "words", "Words", words);
    const Canvas room = canvas(ui, "room", ImVec2(ui.px(100), ui.px(100)));
    room.list->AddRectFilled(room.min, room.max, kMark);
    end_panel();
  }
};

/// The window, or nothing with a message where there is no display.
struct Screen {
  std::optional<Window> window;
  Shown shown;
  Screen() {
    try {
      window.emplace(WindowOptions{"kvarium-test-window", 1100, 720});
    } catch (const NoDisplay& none) {
      if (std::getenv("KVARIUM_EXPECT_DISPLAY") != nullptr) FAIL(none.what());
      WARN("skipped: " << none.what());
      return;
    }
    window->ui().shortcuts.on("theme", [this] { ++shown.toggles; });
    window->set_draw([this](Ui& ui) { shown.draw(ui); });
  }
};

/// Draws until the condition holds, for at most ten seconds.
bool comes_true(Window& window, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < end) window.frame();
  return condition();
}

}  // namespace

TEST_CASE("the window draws with OpenGL what was laid out, in the right place and colour") {
  Screen screen;
  if (!screen.window) return;
  Driver driver(*screen.window);
  const UiItem room = driver.item("room");
  const Image image = screen.window->screenshot();
  CHECK(image.at(static_cast<int>(room.rect.centre_x()), static_cast<int>(room.rect.centre_y())) == kMark);
  CHECK(image.at(static_cast<int>(room.rect.max_x) + 20, static_cast<int>(room.rect.centre_y())) ==
        screen.window->ui().theme().panel);
}

TEST_CASE("the driver works the window as it works the headless screen") {
  Screen screen;
  if (!screen.window) return;
  Driver driver(*screen.window);
  driver.click("play");
  CHECK(screen.shown.presses == 1);
  driver.key("T");
  CHECK(screen.shown.toggles == 1);
  driver.click("words");
  driver.type("block 7");
  driver.key("Enter");
  CHECK(screen.shown.words == "block 7");
  screen.window->ui().set_zoom(1.5F);
  screen.window->ui().set_theme(ThemeName::light);
  driver.click("play");
  CHECK(screen.shown.presses == 2);
}

TEST_CASE("textures are shown and updated on the graphics card") {
  Screen screen;
  if (!screen.window) return;
  Texture texture(screen.window->ui().textures, Filter::nearest);
  Image picture(2, 2, rgb(0x00FF00));
  texture.set(picture);
  picture.fill(0, 1, 2, 1, rgb(0x0000FF));
  texture.set_rows(picture, 1, 1);
  screen.window->set_draw(
      [&](Ui&) { texture.draw(*ImGui::GetForegroundDrawList(), ImVec2(100, 100), ImVec2(300, 300)); });
  screen.window->frame();
  const Image image = screen.window->screenshot();
  CHECK(image.at(150, 199) == rgb(0x00FF00));
  CHECK(image.at(150, 201) == rgb(0x0000FF));
  screen.window->set_draw({});
}

TEST_CASE("a real mouse and a key that is pressed and released at once reach the window") {
  if (std::system("command -v xdotool >/dev/null 2>&1") != 0) {
    WARN("skipped: xdotool is not installed");
    return;
  }
  Screen screen;
  if (!screen.window) return;
  Driver driver(*screen.window);
  const UiItem play = driver.item("play");
  const auto xdotool = [](const std::string& verb) { return std::system(("xdotool " + verb).c_str()); };
  const std::string place = std::to_string(static_cast<int>(play.rect.centre_x())) + " " +
                            std::to_string(static_cast<int>(play.rect.centre_y()));
  REQUIRE(xdotool("search --sync --onlyvisible --name kvarium-test-window windowfocus mousemove --window %1 " +
                  place) == 0);
  comes_true(*screen.window, [&] { return ImGui::GetIO().MousePos.x == std::floor(play.rect.centre_x()); });
  REQUIRE(xdotool("click 1") == 0);
  CHECK(comes_true(*screen.window, [&] { return screen.shown.presses == 1; }));
  REQUIRE(xdotool("key t") == 0);
  CHECK(comes_true(*screen.window, [&] { return screen.shown.toggles == 1; }));
}

TEST_CASE("run() ends when the window is closed, and sleeps between") {
  Screen screen;
  if (!screen.window) return;
  int frames = 0;
  screen.window->set_draw([&](Ui&) {
    if (++frames == 3) screen.window->close();
  });
  screen.window->run();
  CHECK(frames == 3);
}

}  // namespace kvarium::ui
