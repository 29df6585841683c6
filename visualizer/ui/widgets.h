#pragma once
// Every control of the window. Each has a stable id, a caption in English that is shown through tr(), and is recorded
// in the registry, so that scripts, --dump-ui and lessons find it by its id in every language.

#include <span>
#include <string>
#include <string_view>

#include "visualizer/platform/im_compat.h"
#include "visualizer/ui/icons.h"
#include "visualizer/ui/ui.h"

namespace kvarium::ui {

/// What a control may have besides its caption. Texts are English and shown through tr().
struct Look {
  bool enabled = true;
  std::string_view reason = {};    ///< why it is disabled: the tooltip then; give one whenever enabled may be false
  std::string_view tooltip = {};   ///< a sentence of help
  std::string_view shortcut = {};  ///< id in the table of shortcuts; its key joins the tooltip
  float width = 0;                 ///< logical pixels; 0: as wide as its kind usually is
  bool primary = false;            ///< buttons: the one thing to press here
  bool active = false;             ///< icon buttons: drawn as switched on
};

// Buttons. They return true in the frame in which they are pressed.
bool button(Ui& ui, std::string_view id, std::string_view caption, const Look& look = {});
/// A square with an icon; the caption is its name in the registry and its tooltip when the look has none.
bool icon_button(Ui& ui, std::string_view id, Icon icon, std::string_view caption, const Look& look = {});
/// Text in the accent colour, underlined under the mouse.
bool link(Ui& ui, std::string_view id, std::string_view caption, const Look& look = {});
/// A small pill with an optional swatch: a legend entry that switches something on and off. `on` is drawn filled.
bool chip(Ui& ui, std::string_view id, std::string_view caption, bool on, Colour swatch = 0, const Look& look = {});
/// A row of a list, as wide as the panel. Value in the registry: "selected" or "".
bool row(Ui& ui, std::string_view id, std::string_view caption, bool selected, const Look& look = {});

// Values. They return true in the frame in which the person changes the value.
bool checkbox(Ui& ui, std::string_view id, std::string_view caption, bool& on, const Look& look = {});
/// Caption and value stand above the slider, so that the grab never hides the number.
bool slider(Ui& ui, std::string_view id, std::string_view caption, int& value, int low, int high,
            const Look& look = {});
/// `shown`: the value as text, with its unit.
bool slider(Ui& ui, std::string_view id, std::string_view caption, float& value, float low, float high,
            const std::string& shown, const Look& look = {});
/// Only the stops (ascending, not empty) can be chosen; a value between them snaps to the nearest when it is moved.
bool slider_stops(Ui& ui, std::string_view id, std::string_view caption, int& value, std::span<const int> stops,
                  const Look& look = {});
/// A number with - and + beside it (ids "ID/less" and "ID/more"), kept within [low, high].
bool input_int(Ui& ui, std::string_view id, std::string_view caption, int& value, int low, int high,
               const Look& look = {});
/// One line of text; `hint` stands in it while it is empty. With `focus` it takes the keyboard in the next frame.
bool input_text(Ui& ui, std::string_view id, std::string_view caption, std::string& text, std::string_view hint = {},
                bool focus = false, const Look& look = {});
/// Several lines of text, `height` logical pixels high.
bool input_lines(Ui& ui, std::string_view id, std::string_view caption, std::string& text, float height,
                 const Look& look = {});
/// One of the options; option k has the id "ID/k" while the list is open.
bool combo(Ui& ui, std::string_view id, std::string_view caption, int& chosen, std::span<const std::string> options,
           const Look& look = {});

// Containers. Call the end function only when begin returned true.
bool begin_tabs(Ui& ui, std::string_view id);
void end_tabs();
/// `select` brings the tab to the front, for keys 1..9.
bool begin_tab(Ui& ui, std::string_view id, std::string_view caption, bool select = false);
void end_tab();
bool begin_menu(Ui& ui, std::string_view id, std::string_view caption);
void end_menu();
bool menu_item(Ui& ui, std::string_view id, std::string_view caption, bool checked = false, const Look& look = {});

/// A panel at a fixed place (screen pixels) with an optional title line. Always call end_panel(). Returns whether
/// anything of it can be seen.
bool begin_panel(Ui& ui, std::string_view id, std::string_view title, const ImVec2& min, const ImVec2& max,
                 ImGuiWindowFlags flags = 0);
void end_panel();

/// A window in front of the panels that can be moved and closed; `open` turns false when the person closes it.
/// `size`: logical pixels at first. Always call end_floating(). Returns whether anything of it can be seen.
bool begin_floating(Ui& ui, std::string_view id, std::string_view title, bool& open, const ImVec2& size);
void end_floating();

/// A bar between two panels that is dragged to share the room; `size` (logical pixels) is the part before it. It must
/// lie inside what the current window shows; a panel clips half of its padding away.
bool splitter(Ui& ui, std::string_view id, const ImVec2& min, const ImVec2& max, bool vertical, float& size, float low,
              float high);

// Text. `id` may be empty: then it is not recorded.
void text(Ui& ui, std::string_view id, std::string_view words);
void dim_text(Ui& ui, std::string_view id, std::string_view words);
void wrapped_text(Ui& ui, std::string_view id, std::string_view words);
void heading(Ui& ui, std::string_view id, std::string_view words);
/// In the monospaced face, not translated: numbers, tables, one-line notations.
void mono_text(Ui& ui, std::string_view id, std::string_view words);
/// Shows the words beside the mouse while the last item is under it.
void tooltip(Ui& ui, std::string_view words);

/// Room for own drawing that takes the mouse. Parts are recorded with ui.registry.add_rect(..., canvas.id, ...).
struct Canvas {
  ImDrawList* list;
  ImVec2 min, max;  ///< screen pixels
  unsigned id;
  bool hovered;  ///< the mouse is over it and nothing is in front
  bool held;     ///< a mouse button went down on it and is still down
};
/// `size` in screen pixels. Later items may lie on top and get the mouse first.
Canvas canvas(Ui& ui, std::string_view id, const ImVec2& size);

}  // namespace kvarium::ui
