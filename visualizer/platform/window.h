#pragma once
// The program's window on the desktop: GLFW and OpenGL 3.

#include <memory>
#include <stdexcept>
#include <string>

#include "visualizer/platform/host.h"

struct GLFWwindow;

namespace kvarium::ui {

/// There is no screen to open a window on. Programs print the message and exit with 3.
class NoDisplay : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct WindowOptions {
  std::string title = "Kvarium";
  int width = 1440;  ///< logical pixels; reduced to what the screen has
  int height = 900;
};

constexpr int kMinWindowWidth = 1024;  ///< logical pixels
constexpr int kMinWindowHeight = 700;

class Window final : public Host {
 public:
  /// Throws NoDisplay without a screen, std::runtime_error when the graphics driver has no OpenGL 3.3.
  explicit Window(const WindowOptions& options);
  ~Window() override;

  /// Draws until the person closes the window or close() is called. Sleeps while nothing moves and nobody acts.
  void run();
  void close();
  /// Ends a sleep of run(), from any thread: something new is to be drawn.
  static void wake();

  /// Frames a second at most: 60, or 30 when the processor has to draw.
  double max_frames_per_second() const { return drawn_by_processor_ ? 30 : 60; }
  bool drawn_by_processor() const { return drawn_by_processor_; }

  Image screenshot() override;

 private:
  struct Callbacks;

  void open(const WindowOptions& options);
  void start_graphics();
  void follow_screen_scale();
  void sleep_until_next_frame();
  void draw_last_frame();

  void upload_fonts() override;
  void begin_frame() override;
  void present() override;

  GLFWwindow* window_ = nullptr;
  std::unique_ptr<TextureBackend> textures_;
  bool drawn_by_processor_ = false;
  bool fonts_uploaded_ = false;
  int frames_due_ = 3;        ///< after input: menus and layouts need some frames to settle
  double frame_started_ = 0;  ///< seconds, glfwGetTime()
};

}  // namespace kvarium::ui
