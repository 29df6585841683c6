#include "visualizer/ui/shortcuts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace kvarium::ui {
namespace {

Chord chord(std::string_view text) { return *parse_chord(text); }
Chord typed(char character) { return {Key::none, {}, character}; }

std::vector<Shortcut> make_table() {
  std::vector<Shortcut> table{
      {"play", chord("Space"), "Play or pause; in a lesson: go on"},
      {"step_forward", chord("Right"), "One step forward"},
      {"step_back", chord("Left"), "One step back"},
      {"engine_step_forward", chord("Shift+Right"), "One engine step forward"},
      {"engine_step_back", chord("Shift+Left"), "One engine step back"},
      {"next_mark", chord("Ctrl+Right"), "Next mark on the timeline"},
      {"previous_mark", chord("Ctrl+Left"), "Previous mark on the timeline"},
      {"first", chord("Home"), "To the start"},
      {"last", chord("End"), "To the end"},
      {"slower", typed('-'), "Slower"},
      {"faster", typed('='), "Faster"},
      {"pan_left", chord("A"), "Timeline: pan left"},
      {"pan_right", chord("D"), "Timeline: pan right"},
      {"zoom_in", chord("W"), "Timeline: zoom in"},
      {"zoom_out", chord("S"), "Timeline: zoom out"},
      {"zoom_fit", chord("0"), "Zoom to fit"},
      {"zoom_100", chord("Shift+0"), "Zoom to 100 %"},
      {"select_up", chord("Up"), "Move the selection up"},
      {"select_down", chord("Down"), "Move the selection down"},
      {"select_parent", chord("Shift+Up"), "Radix tab: to the parent"},
      {"select_child", chord("Shift+Down"), "Radix tab: to the first child"},
      {"layer_previous", chord("PageUp"), "Attention tab: the layer before"},
      {"layer_next", chord("PageDown"), "Attention tab: the next layer"},
      {"head_previous", typed(','), "Attention tab: the head before"},
      {"head_next", typed('.'), "Attention tab: the next head"},
      {"attention_view", chord("V"), "Attention tab: weights, or K and V"},
      {"map_larger", typed('+'), "Attention tab: larger cells"},
      {"map_smaller", typed('_'), "Attention tab: smaller cells"},
      {"cell_up", chord("Ctrl+Shift+Up"), "Attention tab: to the cell above"},
      {"cell_down", chord("Ctrl+Shift+Down"), "Attention tab: to the cell below"},
      {"cell_left", chord("Ctrl+Shift+Left"), "Attention tab: to the cell at the left"},
      {"cell_right", chord("Ctrl+Shift+Right"), "Attention tab: to the cell at the right"},
      {"kernel_size", chord("K"), "Kernel tab: the next size of step"},
      {"spec_text", chord("X"), "Spec tab: a picture, or text"},
      {"inspect", chord("Enter"), "Inspect the selection"},
      {"why", chord("Shift+Enter"), "Why did this happen?"},
      {"search", typed('/'), "Search"},
      {"find", chord("Ctrl+F"), "Search"},
      {"go_to", chord("G"), "Go to a block, token, step or request"},
      {"bookmark", chord("B"), "Set or remove a bookmark"},
      {"previous_bookmark", typed('['), "Previous bookmark"},
      {"next_bookmark", typed(']'), "Next bookmark"},
      {"compare_snapshot", chord("C"), "Keep this state for comparison"},
      {"compare", chord("Ctrl+K"), "Compare two runs"},
      {"predict", chord("P"), "Predict before you see"},
      {"bug_zoo", chord("Z"), "Bug zoo"},
      {"next_chapter", chord("N"), "Next chapter"},
      {"previous_chapter", chord("Shift+N"), "Previous chapter"},
      {"restart_chapter", chord("Backspace"), "Restart the chapter"},
      {"language", chord("L"), "Change the language"},
      {"theme", chord("T"), "Dark or light"},
      {"larger", chord("Ctrl+="), "Larger text"},
      {"smaller", chord("Ctrl+-"), "Smaller text"},
      {"reduce_motion", chord("M"), "Less motion"},
      {"export", chord("E"), "Save the current view"},
      {"record", chord("Shift+E"), "Record a range"},
      {"help", chord("F1"), "Explain what I click"},
      {"drawer", chord("F2"), "Show or hide the lesson"},
      {"presentation", chord("F11"), "Presentation: large text, no side panels"},
      {"share", chord("Ctrl+L"), "Copy a text that leads here"},
      {"keys", typed('?'), "Show all keys"},
      {"leave", chord("Esc"), "Leave a mode or a window"},
  };
  for (int digit = 1; digit <= 9; ++digit) {
    static constexpr std::string_view kIds[] = {"tab_1", "tab_2", "tab_3", "tab_4", "tab_5",
                                                "tab_6", "tab_7", "tab_8", "tab_9"};
    const auto key = static_cast<Key>(static_cast<int>(Key::digit_0) + digit);
    table.push_back({kIds[digit - 1], {key, {}, 0}, "Go to this tab"});
  }
  return table;
}

const Shortcut* find(std::string_view id) {
  const auto& table = Shortcuts::table();
  const auto found = std::find_if(table.begin(), table.end(), [id](const Shortcut& entry) { return entry.id == id; });
  return found == table.end() ? nullptr : &*found;
}

/// Keys that keyboard navigation needs while it marks a widget.
bool navigates(const Chord& chord) {
  return chord.key == Key::space || chord.key == Key::enter || chord.key == Key::escape ||
         (chord.key >= Key::right && chord.key <= Key::up);
}

}  // namespace

const std::vector<Shortcut>& Shortcuts::table() {
  static const std::vector<Shortcut> kTable = make_table();
  return kTable;
}

void Shortcuts::on(std::string_view id, std::function<void()> action) {
  const Shortcut* entry = find(id);
  if (entry == nullptr) throw MisuseError(fmt::format("there is no shortcut named \"{}\"", id));
  if (action) {
    actions_[entry->id] = std::move(action);
  } else {
    actions_.erase(entry->id);
  }
}

bool Shortcuts::press(const Chord& pressed, KeyboardFocus focus) {
  if (focus.typing || (focus.navigating && navigates(pressed))) return false;
  for (const Shortcut& entry : table()) {
    if (entry.chord == pressed && actions_.count(entry.id) != 0) {
      pending_.push_back(entry.id);
      return true;
    }
  }
  return false;
}

void Shortcuts::dispatch() {
  std::vector<std::string_view> due;
  due.swap(pending_);  // an action may change the table or cause a press
  for (const std::string_view id : due) {
    const auto found = actions_.find(id);
    if (found == actions_.end()) continue;
    const std::function<void()> action = found->second;
    action();
  }
}

std::vector<Shortcut> Shortcuts::registered() const {
  std::vector<Shortcut> result;
  for (const Shortcut& entry : table()) {
    if (actions_.count(entry.id) != 0) result.push_back(entry);
  }
  return result;
}

std::string Shortcuts::key_name(std::string_view id) const {
  const Shortcut* entry = find(id);
  return entry != nullptr && actions_.count(entry->id) != 0 ? name_of(entry->chord) : std::string();
}

}  // namespace kvarium::ui
