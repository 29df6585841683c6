#pragma once
// What is on the screen, by name: the driver, --dump-ui and the spotlight of a lesson look here.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kvarium::ui {

/// Screen pixels, min inclusive, max exclusive.
struct ScreenRect {
  float min_x = 0, min_y = 0, max_x = 0, max_y = 0;
  float centre_x() const { return (min_x + max_x) / 2; }
  float centre_y() const { return (min_y + max_y) / 2; }
  bool empty() const { return min_x >= max_x || min_y >= max_y; }
};

/// One thing on the screen: a widget, or a part of a canvas such as "block:42".
struct UiItem {
  std::string id;         ///< stable, English, the same in every language
  std::string label;      ///< as shown
  std::string kind;       ///< button, checkbox, slider, block, ...
  std::string value;      ///< "on", "16", "selected", ...
  std::string reason;     ///< why it is disabled
  ScreenRect rect;        ///< clipped to what its window shows
  unsigned imgui_id = 0;  ///< who gets the mouse there; 0: nobody (plain text)
  bool visible = false;   ///< some of it is on the screen
  bool enabled = true;
};

class UiRegistry {
 public:
  /// Starts a frame: the items of the frame before stay readable until end_frame().
  void begin_frame();
  void end_frame();

  /// Records the widget that was drawn last. Call it right after the widget.
  void add_last_item(std::string_view id, std::string_view label, std::string_view kind, std::string value,
                     bool enabled = true, std::string_view reason = {});
  /// Records a part of a canvas (an InvisibleButton whose id is `canvas_id`), clipped to the current window.
  void add_rect(std::string_view id, std::string_view kind, std::string_view label, std::string value,
                unsigned canvas_id, const ScreenRect& rect);
  /// Records the current window itself, its title and borders included. `kind`: panel or window (in front of panels).
  void add_window(std::string_view id, std::string_view kind, std::string_view label);

  /// The items of the last complete frame, in the order in which they were drawn.
  const std::vector<UiItem>& items() const { return shown_; }
  /// The item with this id, else the only visible one with this label, else nullptr. Valid until end_frame().
  const UiItem* find(std::string_view id_or_label) const;
  /// Ids that two items of the last frame shared: a fault of the program, an empty list otherwise.
  const std::vector<std::string>& duplicates() const { return duplicates_; }

  /// The widget scrolls itself into view when it is next drawn.
  void scroll_to(std::string_view id) { scroll_to_ = id; }

  /// One JSON object a line for each item of the last frame: id, kind, label, value, rect, visible, enabled, reason.
  std::string dump() const;
  /// "play, next, speed": ids that can be seen, for error messages.
  std::string visible_ids() const;

 private:
  std::vector<UiItem> drawing_;
  std::vector<UiItem> shown_;
  std::unordered_map<std::string, std::size_t> by_id_;  ///< into shown_
  std::vector<std::string> duplicates_;
  std::string scroll_to_;
};

}  // namespace kvarium::ui
