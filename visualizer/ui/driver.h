#pragma once
// Uses the window like a person: moves the mouse, presses buttons and keys, reads what is on the screen. For tests
// (driver.click("play")) and for scripts (one command a line).

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "visualizer/platform/host.h"

namespace kvarium::ui {

/// A script did not find what it expects. The message names the line and what is visible instead.
class ScriptFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Things are named by their id in the registry, or by their caption when only one visible thing has it. Each action
/// waits up to kPatience frames for the thing to appear, scrolls it into view, and leaves the screen up to date.
class Driver {
 public:
  static constexpr int kPatience = 60;  ///< frames

  explicit Driver(Host& host) : host_(host) {}

  void wait(int frames);
  /// Moves the mouse to the middle of the thing, makes sure that nothing covers it, presses and releases.
  /// `button`: 0 left, 1 right, 2 middle.
  void click(std::string_view name, int button = 0);
  void double_click(std::string_view name);
  /// Rests on it long enough for its tooltip.
  void hover(std::string_view name);
  /// Presses at fraction `from` of the thing's width, moves to fraction `to`, releases.
  void drag(std::string_view name, float from, float to);
  /// Presses in its middle, moves by so many logical pixels, releases.
  void drag_by(std::string_view name, float right, float down);
  /// Turns the wheel over it; positive is away from the person.
  void wheel(std::string_view name, float notches);
  /// "Space", "Ctrl+K", "?": presses and releases.
  void key(std::string_view chord);
  void type(std::string_view text);

  /// Fails unless the thing is visible, or becomes so.
  void expect(std::string_view name);
  /// Fails unless it also has, or gets, this value or label.
  void expect(std::string_view name, std::string_view value);
  /// Fails unless it is, or becomes, invisible.
  void expect_gone(std::string_view name);
  /// Fails unless it is disabled. Returns the reason that its tooltip gives.
  std::string expect_disabled(std::string_view name);

  void screenshot(const std::string& path);
  void dump(const std::string& path);

  /// The thing, which must be visible. The copy outlives the frame.
  UiItem item(std::string_view name);

  /// Runs a script. `source` is what errors call it, with the number of the line. Returns false when it ended at
  /// `quit`. Throws ScriptFailed for what is not as expected and InputError for a line that is no command.
  bool run(std::string_view script, std::string_view source);

  /// One line per command, for help texts.
  static std::string_view commands();

 private:
  void frame();
  void press(int button, bool down);
  /// Waits for `done`; throws `complaint()` with what is visible.
  void until(const std::function<bool()>& done, const std::function<std::string()>& complaint);
  UiItem reach(std::string_view name);
  void move_to(float x, float y);
  void aim(std::string_view name, float fraction);
  void check_not_covered(const UiItem& item);

  Host& host_;
  ScriptedInput input_;
};

}  // namespace kvarium::ui
