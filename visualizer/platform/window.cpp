#include "visualizer/platform/window.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/words/words.h"
#include "visualizer/platform/gl_textures.h"
#include "visualizer/platform/im_compat.h"
#if __has_include(<backends/imgui_impl_glfw.h>)
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#endif

namespace kvarium::ui {

static_assert(static_cast<int>(Key::space) == GLFW_KEY_SPACE && static_cast<int>(Key::digit_9) == GLFW_KEY_9 &&
              static_cast<int>(Key::letter_z) == GLFW_KEY_Z && static_cast<int>(Key::escape) == GLFW_KEY_ESCAPE &&
              static_cast<int>(Key::up) == GLFW_KEY_UP && static_cast<int>(Key::end) == GLFW_KEY_END &&
              static_cast<int>(Key::f12) == GLFW_KEY_F12 && static_cast<int>(Key::left_super) == GLFW_KEY_LEFT_SUPER);

namespace {

constexpr int kFramesAfterInput = 3;
constexpr double kSleepSeconds = 5;          ///< without input; a wake() or any event ends it
constexpr double kCursorBlinkSeconds = 0.3;  ///< while a text field shows its cursor

std::string last_glfw_error() {
  const char* words = nullptr;
  glfwGetError(&words);
  return words == nullptr ? "unknown" : words;
}

[[noreturn]] void throw_no_display() {
  const std::string reason = last_glfw_error();
  const bool unset = std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr;
  throw NoDisplay(
      tr_format("cannot open a window: no display ({}). - no desktop here? use: kvarium view "
                "--screenshot out.png - or: xvfb-run -a kvarium",
                unset ? std::string("$DISPLAY is not set") : reason));
}

Modifiers modifiers_of(int mods) {
  return {.ctrl = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0,  // Super is the Command key of a Mac
          .shift = (mods & GLFW_MOD_SHIFT) != 0,
          .alt = (mods & GLFW_MOD_ALT) != 0};
}

bool is_arrow(int key) { return key >= GLFW_KEY_RIGHT && key <= GLFW_KEY_UP; }

}  // namespace

/// GLFW calls these; each hands on to Dear ImGui what the shortcuts do not take. They must not throw: GLFW is C.
struct Window::Callbacks {
  static Window& self(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }

  static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    const bool repeats = action == GLFW_REPEAT && is_arrow(key);  // hold an arrow to step on and on
    if (action == GLFW_PRESS || repeats) {
      const int code = key == GLFW_KEY_KP_ENTER ? GLFW_KEY_ENTER : key;
      if (!self(window).press({static_cast<Key>(code), modifiers_of(mods), 0})) return;
    }
    ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, mods);
  }
  static void character(GLFWwindow* window, unsigned int code) {
    if (code < 128 && !self(window).press({Key::none, {}, static_cast<char>(code)})) return;
    ImGui_ImplGlfw_CharCallback(window, code);
  }
  static void content_scale(GLFWwindow* window, float, float) { self(window).follow_screen_scale(); }

  static void install(GLFWwindow* window) {
    glfwSetKeyCallback(window, key);
    glfwSetCharCallback(window, character);
    glfwSetMouseButtonCallback(window, ImGui_ImplGlfw_MouseButtonCallback);
    glfwSetScrollCallback(window, ImGui_ImplGlfw_ScrollCallback);
    glfwSetCursorEnterCallback(window, ImGui_ImplGlfw_CursorEnterCallback);
    glfwSetWindowFocusCallback(window, ImGui_ImplGlfw_WindowFocusCallback);
#if IMGUI_VERSION_NUM >= 18700
    glfwSetCursorPosCallback(window, ImGui_ImplGlfw_CursorPosCallback);
#endif
    glfwSetWindowContentScaleCallback(window, content_scale);
  }
};

Window::Window(const WindowOptions& options) {
  glfwSetErrorCallback(nullptr);
  if (glfwInit() != GLFW_TRUE) throw_no_display();
  try {
    open(options);
    start_graphics();
  } catch (...) {
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
    throw;
  }
}

void Window::open(const WindowOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);  // macOS asks for it
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  int width = options.width, height = options.height;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr) {
    int x = 0, y = 0, room_width = 0, room_height = 0;
    float scale_x = 1, scale_y = 1;
    glfwGetMonitorWorkarea(monitor, &x, &y, &room_width, &room_height);
    glfwGetMonitorContentScale(monitor, &scale_x, &scale_y);
    if (room_width > 0) width = std::min(width, static_cast<int>(static_cast<float>(room_width) / scale_x));
    if (room_height > 0) height = std::min(height, static_cast<int>(static_cast<float>(room_height) / scale_y));
  }
  window_ = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    throw std::runtime_error(tr_format("cannot open a window: {} (OpenGL 3.3 is needed)", last_glfw_error()));
  }
  glfwSetWindowUserPointer(window_, this);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
}

void Window::start_graphics() {
  Callbacks::install(window_);
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  ImGui_ImplOpenGL3_Init("#version 330");
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view name = renderer == nullptr ? "" : renderer;
  for (const std::string_view software : {"llvmpipe", "softpipe", "SwiftShader"}) {
    drawn_by_processor_ = drawn_by_processor_ || name.find(software) != std::string_view::npos;
  }
  textures_ = make_gl_textures();
  make_ui(*textures_);
  follow_screen_scale();
}

Window::~Window() {
  destroy_ui();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::follow_screen_scale() {
  float scale_x = 1, scale_y = 1;
  int width = 0, height = 0, pixels_wide = 0, pixels_high = 0;
  glfwGetWindowContentScale(window_, &scale_x, &scale_y);
  glfwGetWindowSize(window_, &width, &height);
  glfwGetFramebufferSize(window_, &pixels_wide, &pixels_high);
  // Where window coordinates are already logical pixels (macOS, Wayland) only the rest of the scale is ours.
  const float pixels_per_unit =
      width > 0 && pixels_wide > 0 ? static_cast<float>(pixels_wide) / static_cast<float>(width) : 1;
  const float scale = std::clamp(scale_x / pixels_per_unit, 0.5F, 4.0F);
  ui().set_content_scale(scale);
  glfwSetWindowSizeLimits(window_, static_cast<int>(kMinWindowWidth * scale),
                          static_cast<int>(kMinWindowHeight * scale), GLFW_DONT_CARE, GLFW_DONT_CARE);
}

void Window::run() {
  while (glfwWindowShouldClose(window_) == GLFW_FALSE) {
    sleep_until_next_frame();
    if (glfwWindowShouldClose(window_) == GLFW_FALSE) frame();
  }
}

void Window::close() {
  glfwSetWindowShouldClose(window_, GLFW_TRUE);
  glfwPostEmptyEvent();
}

void Window::wake() { glfwPostEmptyEvent(); }

void Window::sleep_until_next_frame() {
  if (ui().take_moving()) frames_due_ = kFramesAfterInput;  // input may have come in between, unseen
  if (frames_due_ == 0) {
    const bool cursor_blinks = ImGui::GetIO().WantTextInput;
    const double patience = cursor_blinks ? kCursorBlinkSeconds : kSleepSeconds;
    const double asleep = glfwGetTime();
    glfwWaitEventsTimeout(patience);
    const bool woken = glfwGetTime() - asleep < patience;
    frames_due_ = woken ? kFramesAfterInput : 1;
  }
  // The display's own rhythm paces frames where it works; this limit is a little above it so as not to beat with it.
  const double due = frame_started_ + 0.97 / max_frames_per_second();
  for (double now = glfwGetTime(); now < due; now = glfwGetTime()) glfwWaitEventsTimeout(due - now);
  --frames_due_;
}

void Window::upload_fonts() {
#if IMGUI_VERSION_NUM < 19200
  if (fonts_uploaded_) ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  fonts_uploaded_ = true;
#endif
}

void Window::begin_frame() {
  frame_started_ = glfwGetTime();
  glfwPollEvents();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
}

void Window::draw_last_frame() {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  const Colour colour = ui().theme().background;
  const auto channel = [colour](int shift) { return static_cast<float>(colour >> shift & 0xFFu) / 255; };
  glClearColor(channel(0), channel(8), channel(16), 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::present() {
  draw_last_frame();
  glfwSwapBuffers(window_);
}

Image Window::screenshot() {
  draw_last_frame();  // the buffer that was shown may be gone
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  for (int y = 0; y < height / 2; ++y) std::swap_ranges(image.row(y), image.row(y) + width, image.row(height - 1 - y));
  for (Colour& pixel : image.pixels) pixel |= 0xFF000000u;
  return image;
}

}  // namespace kvarium::ui
