#pragma once
// One table of all keyboard shortcuts. Panels register what each does; the sheet (key ?) lists what is registered.

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "visualizer/platform/key.h"

namespace kvarium::ui {

struct Shortcut {
  std::string_view id;
  Chord chord;
  std::string_view help;  ///< English; through tr() before it is shown
};

/// What has the keyboard besides the shortcuts.
struct KeyboardFocus {
  bool typing = false;      ///< a text field: it gets every key
  bool navigating = false;  ///< a widget or menu is marked by keyboard navigation: it gets Space, Enter, Esc and arrows
};

class Shortcuts {
 public:
  /// What the shortcut does from now on; an empty action takes it away. Throws MisuseError when the id is unknown.
  void on(std::string_view id, std::function<void()> action);

  /// A key or character was pressed. Returns true when a registered shortcut takes it: it is kept until dispatch() and
  /// nobody else may see the key. So a key that is pressed and released within one frame is not lost.
  bool press(const Chord& pressed, KeyboardFocus focus);
  /// Runs the actions of the presses since the last call, in order.
  void dispatch();

  /// The whole table.
  static const std::vector<Shortcut>& table();
  /// Those with an action: what the sheet shows.
  std::vector<Shortcut> registered() const;
  /// The key of a shortcut for captions and tooltips ("Space"); empty when the id is unknown or has no action.
  std::string key_name(std::string_view id) const;

 private:
  std::unordered_map<std::string_view, std::function<void()>> actions_;  ///< keys point into table()
  std::vector<std::string_view> pending_;                                ///< ids, oldest first
};

}  // namespace kvarium::ui
