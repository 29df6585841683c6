// Known triangles, known pixels.

#include <functional>
#include <limits>
#include <string>

#include "tests/support/catch.h"
#include "visualizer/platform/headless.h"
#include "visualizer/platform/im_compat.h"
#include "visualizer/ui/theme.h"

namespace kvarium::ui {
namespace {

constexpr Colour kBlack = rgb(0x000000), kRed = rgb(0xFF0000), kGreen = rgb(0x00FF00), kWhite = rgb(0xFFFFFF);

/// What `draw` puts on a black 8 x 8 screen.
Image drawn(const std::function<void(ImDrawList&, Ui&)>& draw) {
  Headless host(8, 8);
  host.set_draw([&](Ui& ui) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.Flags = ImDrawListFlags_None;  // no soft edges: every pixel is decided by its centre
    list.AddRectFilled(ImVec2(0, 0), ImVec2(8, 8), kBlack);
    draw(list, ui);
  });
  host.frame();
  return host.screenshot();
}

/// Rows as text: '.' black, 'R', 'G', 'W' the pure colours, '?' anything else.
std::string show(const Image& image) {
  std::string text;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Colour pixel = image.at(x, y);
      text += pixel == kBlack ? '.' : pixel == kRed ? 'R' : pixel == kGreen ? 'G' : pixel == kWhite ? 'W' : '?';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("a rectangle covers the pixels whose centres are inside") {
  const Image image = drawn([](ImDrawList& list, Ui&) {
    list.AddRectFilled(ImVec2(1, 1), ImVec2(3, 3), kRed);
    list.AddRectFilled(ImVec2(4.6F, 1.4F), ImVec2(6.4F, 2.6F), kGreen);  // centres 5.5 and 1.5, 2.5
  });
  CHECK(show(image) ==
        "........\n"
        ".RR..G..\n"
        ".RR..G..\n"
        "........\n"
        "........\n"
        "........\n"
        "........\n"
        "........\n");
}

TEST_CASE("two triangles that share an edge neither overlap nor leave a gap") {
  const Colour half = rgb(0xFFFFFF, 128);  // an overlap would be brighter, a gap black
  const Image image = drawn([half](ImDrawList& list, Ui&) {
    list.AddTriangleFilled(ImVec2(0, 0), ImVec2(8, 0), ImVec2(3, 8), half);
    list.AddTriangleFilled(ImVec2(8, 0), ImVec2(8, 8), ImVec2(3, 8), half);
    list.AddTriangleFilled(ImVec2(0, 0), ImVec2(3, 8), ImVec2(0, 8), half);
  });
  for (const Colour pixel : image.pixels) CHECK(pixel == rgb(0x808080));
}

TEST_CASE("colours are blended by their opacity, exactly to the nearest of 256 levels") {
  const Image image = drawn([](ImDrawList& list, Ui&) {
    list.AddRectFilled(ImVec2(0, 0), ImVec2(8, 8), rgb(0x6432C8));      // 100, 50, 200
    list.AddRectFilled(ImVec2(0, 0), ImVec2(4, 8), rgb(0xFF00FF, 64));  // 64 / 255
  });
  // 100 + (255 - 100) * 64 / 255 = 138.9; 50 - 50 * 64 / 255 = 37.5 (37.45); 200 + 55 * 64 / 255 = 213.8
  CHECK(image.at(0, 0) == rgb(0x8B25D6));
  CHECK(image.at(5, 0) == rgb(0x6432C8));
}

TEST_CASE("nothing is drawn outside the scissor rectangle") {
  const Image image = drawn([](ImDrawList& list, Ui&) {
    list.PushClipRect(ImVec2(2, 3), ImVec2(5, 6));
    list.AddTriangleFilled(ImVec2(-100, -100), ImVec2(200, -100), ImVec2(-100, 200), kRed);
    list.AddRectFilled(ImVec2(-50, 5), ImVec2(50, 50), kGreen);
    list.PopClipRect();
  });
  CHECK(show(image) ==
        "........\n"
        "........\n"
        "........\n"
        "..RRR...\n"
        "..RRR...\n"
        "..GGG...\n"
        "........\n"
        "........\n");
}

TEST_CASE("a nearest texture stays sharp squares, a smooth one is blended between") {
  Image two(2, 1);
  two.pixels = {kRed, kGreen};
  std::string sharp, soft;
  for (const Filter filter : {Filter::nearest, Filter::smooth}) {
    Headless host(8, 1);
    {
      Texture texture(host.ui().textures, filter);
      texture.set(two);
      host.set_draw([&](Ui&) { texture.draw(*ImGui::GetBackgroundDrawList(), ImVec2(0, 0), ImVec2(8, 1)); });
      host.frame();
      (filter == Filter::nearest ? sharp : soft) = show(host.screenshot());
      host.set_draw({});
    }
  }
  CHECK(sharp == "RRRRGGGG\n");
  CHECK(soft == "RR????GG\n");
}

TEST_CASE("a texture that is drawn one texel a pixel is copied exactly, also with an update of some rows") {
  Headless host(8, 8);
  Texture texture(host.ui().textures, Filter::smooth);
  Image picture(4, 4, kWhite);
  for (int i = 0; i < 4; ++i) picture.at(i, i) = kRed;
  texture.set(picture);
  picture.fill(0, 2, 4, 1, kGreen);
  picture.fill(0, 3, 4, 1, kGreen);
  texture.set_rows(picture, 2, 1);  // row 3 was not named: it stays
  host.set_draw([&](Ui&) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(ImVec2(0, 0), ImVec2(8, 8), kBlack);
    texture.draw(list, ImVec2(2, 3), ImVec2(6, 7));
  });
  host.frame();
  CHECK(show(host.screenshot()) ==
        "........\n"
        "........\n"
        "........\n"
        "..RWWW..\n"
        "..WRWW..\n"
        "..GGGG..\n"
        "..WWWR..\n"
        "........\n");
  host.set_draw({});
}

TEST_CASE("broken coordinates draw nothing and crash nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Image image = drawn([nan](ImDrawList& list, Ui&) {
    list.AddTriangleFilled(ImVec2(nan, nan), ImVec2(nan, 3), ImVec2(4, nan), kRed);
    list.AddTriangleFilled(ImVec2(-1e30F, 2), ImVec2(1e30F, 2), ImVec2(0, 2), kRed);
    list.AddRectFilled(ImVec2(1e9F, 1e9F), ImVec2(2e9F, 2e9F), kRed);
  });
  for (const Colour pixel : image.pixels) CHECK(pixel == kBlack);
}

}  // namespace kvarium::ui
