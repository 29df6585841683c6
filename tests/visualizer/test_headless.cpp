// Frames without a display.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_path.h"
#include "visualizer/platform/headless.h"
#include "visualizer/platform/png.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {
namespace {

void draw_panel(Ui& ui) {
  begin_panel(ui, "panel", "Title", ImVec2(0, 0), ImVec2(ui.px(200), ui.px(100)));
  text(ui, "words", "The K and V of 17 tokens");
  end_panel();
}

int bright_pixels(const Image& image) {
  int count = 0;
  for (const Colour pixel : image.pixels) count += contrast(pixel, rgb(0x000000)) > 10 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("each frame takes a sixtieth of a second, whatever the machine") {
  Headless host(320, 200);
  double time = 0;
  host.set_draw([&](Ui&) { time = ImGui::GetTime(); });
  for (int i = 0; i < 60; ++i) host.frame();
  CHECK(time == kvarium_test::Approx(1.0).margin(1e-5));  // 60 single-precision roundings of 1/60
}

TEST_CASE("a screenshot needs a frame, and shows its text in the theme's colours") {
  Headless host(320, 200);
  CHECK_THROWS_AS(host.screenshot(), MisuseError);
  host.set_draw(draw_panel);
  host.frame();
  const Image dark = host.screenshot();
  CHECK(dark.at(310, 190) == theme_of(ThemeName::dark).background);
  CHECK(dark.at(190, 90) == theme_of(ThemeName::dark).panel);
  CHECK(bright_pixels(dark) > 100);  // the letters
  host.ui().set_theme(ThemeName::light);
  host.frame();
  const Image light = host.screenshot();
  CHECK(light.at(190, 90) == theme_of(ThemeName::light).panel);
  CHECK(bright_pixels(light) > bright_pixels(dark));
}

TEST_CASE("zoom scales fonts and panels, within 75 and 200 percent, and back without a trace") {
  Headless host(320, 200);
  host.set_draw(draw_panel);
  host.frame();
  const Image before = host.screenshot();
  const float width = host.ui().registry.find("words")->rect.max_x;
  const int version = host.ui().look_version();
  host.ui().set_zoom(1.5F);
  host.frame();
  CHECK(host.ui().look_version() == version + 1);
  CHECK(host.ui().registry.find("words")->rect.max_x == kvarium_test::Approx(width * 1.5).epsilon(0.05));
  host.ui().set_zoom(9);
  CHECK(host.ui().zoom() == kMaxZoom);
  host.ui().set_zoom(1);
  host.frame();
  CHECK(host.screenshot().pixels == before.pixels);
}

TEST_CASE("Chinese text is drawn when its characters are asked for, in every face") {
  Headless host(320, 200);
  host.ui().set_glyphs("键值缓存");
  host.frame();
  if (!host.ui().fonts().missing().empty()) {
    WARN("skipped: " << host.ui().fonts().missing().back());
    return;
  }
  host.set_draw([](Ui& ui) {
    for (int role = 0; role < kNumFontRoles; ++role) {
      const WithFont font(ui.fonts(), static_cast<FontRole>(role));
      CHECK(compat::has_glyph(0x952E));
#if IMGUI_VERSION_NUM < 19200  // later versions load every glyph that is used
      CHECK_FALSE(compat::has_glyph(0x9F98));
#endif
    }
  });
  host.frame();
}

TEST_CASE("an animation asks for frames, and stops asking") {
  Headless host(320, 200);
  host.set_draw([frames = 0](Ui& ui) mutable {
    if (++frames < 3) ui.keep_moving();
  });
  host.frame();
  CHECK(host.ui().take_moving());
  host.frame();
  CHECK(host.ui().take_moving());
  host.frame();
  CHECK_FALSE(host.ui().take_moving());
}

TEST_CASE("a task for after the frame runs once, outside the frame") {
  Headless host(320, 200);
  int runs = 0;
  host.after_frame([&] {
    ++runs;
    CHECK(ImGui::GetDrawData() != nullptr);
  });
  host.frame();
  host.frame();
  CHECK(runs == 1);
}

TEST_CASE("an image is written whole, and a failed write leaves the old file") {
  const auto folder = kvarium_test::temp_path("png");
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "a.png").string();
  write_png(path, Image(3, 2, rgb(0x123456)));
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE(bytes.size() > 24);
  CHECK(bytes.substr(1, 3) == "PNG");
  CHECK(bytes.substr(16, 8) == std::string("\0\0\0\3\0\0\0\2", 8));  // width and height, big-endian
  CHECK_FALSE(std::filesystem::exists(path + ".part"));

  std::filesystem::create_directories(folder / "b.png");
  std::ofstream(folder / "b.png" / "inside") << "kept";
  CHECK_THROWS_AS(write_png((folder / "b.png").string(), Image(1, 1)), InputError);
  CHECK(std::filesystem::exists(folder / "b.png" / "inside"));
  CHECK_FALSE(std::filesystem::exists((folder / "b.png").string() + ".part"));
  CHECK_THROWS_AS(write_png(path, Image()), InputError);
  std::filesystem::remove_all(folder);
}

}  // namespace kvarium::ui
