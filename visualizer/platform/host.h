#pragma once
// One frame after another, whatever shows them: the part that the window and the headless back end share.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/platform/image.h"
#include "visualizer/platform/key.h"
#include "visualizer/ui/ui.h"

struct ImGuiContext;

namespace kvarium::ui {

/// What a script's person does before one frame.
struct ScriptedInput {
  float mouse_x = -1, mouse_y = -1;  ///< screen pixels; outside at first
  bool buttons[3] = {};              ///< left, right, middle: held down
  float wheel = 0;                   ///< notches, up is positive
  Modifiers modifiers;
  struct KeyChange {
    Chord chord;
    bool down = false;
  };
  std::vector<KeyChange> keys;
  std::string text;  ///< typed characters, UTF-8
};

/// Owns the ImGui context, which is current while the host lives: one host at a time.
class Host {
 public:
  using Draw = std::function<void(Ui&)>;

  virtual ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Ui& ui() { return *ui_; }

  /// What is drawn each frame.
  void set_draw(Draw draw) { draw_ = std::move(draw); }

  /// One whole frame. With `script` the frame takes exactly 1/60 s of the program's time and its input comes from
  /// there.
  void frame(const ScriptedInput* script = nullptr);

  /// The picture of the last frame, after its pixels were made. A frame must have been drawn.
  virtual Image screenshot() = 0;

  /// Runs `task` after the frame that is being drawn, for what must not happen inside one.
  void after_frame(std::function<void()> task) { after_frame_.push_back(std::move(task)); }

 protected:
  Host();
  /// To be called by the constructor of each back end, once the back end can hold textures.
  void make_ui(TextureBackend& backend);
  /// To be called by the destructor of each back end, before it closes.
  void destroy_ui();

  virtual void upload_fonts() = 0;
  virtual void begin_frame() = 0;  ///< size, time and input, before ImGui::NewFrame()
  virtual void present() = 0;      ///< after ImGui::Render()

  /// Gives the key to the shortcuts first. Returns whether Dear ImGui should see it too.
  bool press(const Chord& chord);

 private:
  void inject(const ScriptedInput& script);

  ImGuiContext* context_;
  std::optional<Ui> ui_;
  Draw draw_;
  std::vector<std::function<void()>> after_frame_;
};

}  // namespace kvarium::ui
