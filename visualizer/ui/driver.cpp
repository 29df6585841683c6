#include "visualizer/ui/driver.h"

#include <fmt/format.h>

#include "core/error.h"
#include "visualizer/platform/im_compat.h"
#include "visualizer/platform/png.h"
#include "visualizer/platform/write_file.h"

namespace kvarium::ui {
namespace {

constexpr int kTooltipFrames = 30;  ///< longer than the mouse must rest (Ui::mouse_rests_on)
constexpr int kDragFrames = 4;

const UiItem* visible(const UiRegistry& registry, std::string_view name) {
  const UiItem* found = registry.find(name);
  return found != nullptr && found->visible ? found : nullptr;
}

}  // namespace

void Driver::frame() {
  host_.frame(&input_);
  input_.keys.clear();
  input_.text.clear();
  input_.wheel = 0;
}

void Driver::wait(int frames) {
  for (int i = 0; i < frames; ++i) frame();
}

void Driver::until(const std::function<bool()>& done, const std::function<std::string()>& complaint) {
  for (int waited = 0; !done(); ++waited) {
    if (waited == kPatience) {
      throw ScriptFailed(fmt::format("{}; visible: {}", complaint(), host_.ui().registry.visible_ids()));
    }
    frame();
  }
}

UiItem Driver::item(std::string_view name) {
  const UiRegistry& registry = host_.ui().registry;
  until([&] { return visible(registry, name) != nullptr; },
        [&] { return fmt::format("\"{}\" is not {}", name, registry.find(name) == nullptr ? "there" : "visible"); });
  return *registry.find(name);
}

UiItem Driver::reach(std::string_view name) {
  UiRegistry& registry = host_.ui().registry;
  if (const UiItem* found = registry.find(name); found != nullptr && !found->visible) {
    registry.scroll_to(found->id);
    wait(3);  // the widget asks to be scrolled to, the window moves, the picture is up to date
  }
  item(name);
  until(
      [&] {
        const UiItem* found = visible(registry, name);
        return found != nullptr && found->enabled;
      },
      [&] {
        const UiItem* found = registry.find(name);
        return fmt::format("\"{}\" is disabled ({})", name, found == nullptr ? "" : found->reason);
      });
  return *registry.find(name);
}

void Driver::move_to(float x, float y) {
  input_.mouse_x = x;
  input_.mouse_y = y;
  frame();
}

void Driver::check_not_covered(const UiItem& item) {
  if (item.imgui_id == 0) throw ScriptFailed(fmt::format("\"{}\" is a {}: it takes no mouse", item.id, item.kind));
  const unsigned hovered = ImGui::GetCurrentContext()->HoveredId;
  if (hovered == item.imgui_id) return;
  std::string what = "something else";
  for (const UiItem& other : host_.ui().registry.items()) {
    const ScreenRect& rect = other.rect;
    const bool under_mouse = input_.mouse_x >= rect.min_x && input_.mouse_x < rect.max_x &&
                             input_.mouse_y >= rect.min_y && input_.mouse_y < rect.max_y;
    const bool hit = hovered != 0 && other.imgui_id == hovered;
    if (hit || (other.kind == "window" && under_mouse)) what = "\"" + other.id + "\"";
    if (hit) break;
  }
  throw ScriptFailed(fmt::format("\"{}\" is covered by {}", item.id, what));
}

void Driver::aim(std::string_view name, float fraction) {
  for (int attempt = 0; attempt < 4; ++attempt) {  // a thing may still be moving, or appear under a closing menu
    const UiItem target = reach(name);
    move_to(target.rect.min_x + (target.rect.max_x - target.rect.min_x) * fraction, target.rect.centre_y());
    frame();
    if (ImGui::GetCurrentContext()->HoveredId == target.imgui_id && target.imgui_id != 0) return;
  }
  check_not_covered(reach(name));
}

void Driver::press(int button, bool down) {
  input_.buttons[button] = down;
  frame();
}

void Driver::click(std::string_view name, int button) {
  aim(name, 0.5F);
  press(button, true);
  press(button, false);
  frame();  // what the press has changed is on the screen
}

void Driver::double_click(std::string_view name) {
  aim(name, 0.5F);
  for (int i = 0; i < 2; ++i) {
    press(0, true);
    press(0, false);
  }
  frame();
}

void Driver::hover(std::string_view name) {
  const UiItem target = item(name);
  move_to(target.rect.centre_x(), target.rect.centre_y());
  wait(kTooltipFrames);
}

void Driver::drag(std::string_view name, float from, float to) {
  aim(name, from);
  const UiItem target = item(name);
  const float width = target.rect.max_x - target.rect.min_x;
  press(0, true);
  for (int i = 1; i <= kDragFrames; ++i) {
    const float fraction = from + (to - from) * static_cast<float>(i) / kDragFrames;
    move_to(target.rect.min_x + width * fraction, target.rect.centre_y());
  }
  press(0, false);
  frame();
}

void Driver::drag_by(std::string_view name, float right, float down) {
  aim(name, 0.5F);
  const float x = input_.mouse_x, y = input_.mouse_y;
  press(0, true);
  for (int i = 1; i <= kDragFrames; ++i) {
    const float part = static_cast<float>(i) / kDragFrames;
    move_to(x + host_.ui().px(right) * part, y + host_.ui().px(down) * part);
  }
  press(0, false);
  frame();
}

void Driver::wheel(std::string_view name, float notches) {
  aim(name, 0.5F);
  input_.wheel = notches;
  frame();
  frame();
}

void Driver::key(std::string_view chord) {
  const std::optional<Chord> parsed = parse_chord(chord);
  if (!parsed) throw InputError(fmt::format("there is no key \"{}\"", chord));
  input_.modifiers = parsed->modifiers;
  input_.keys.push_back({*parsed, true});
  frame();
  input_.keys.push_back({*parsed, false});
  frame();
  input_.modifiers = {};
  frame();
}

void Driver::type(std::string_view text) {
  input_.text = text;
  frame();
  frame();
}

void Driver::expect(std::string_view name) { item(name); }

void Driver::expect(std::string_view name, std::string_view value) {
  const UiRegistry& registry = host_.ui().registry;
  item(name);
  until(
      [&] {
        const UiItem* found = visible(registry, name);
        return found != nullptr && (found->value == value || found->label == value);
      },
      [&] {
        const UiItem* found = registry.find(name);
        if (found == nullptr) return fmt::format("\"{}\" is gone", name);
        const std::string& is = found->value.empty() ? found->label : found->value;
        return fmt::format("\"{}\" is \"{}\", not \"{}\"", name, is, value);
      });
}

void Driver::expect_gone(std::string_view name) {
  const UiRegistry& registry = host_.ui().registry;
  until([&] { return visible(registry, name) == nullptr; },
        [&] { return fmt::format("\"{}\" is still visible", name); });
}

std::string Driver::expect_disabled(std::string_view name) {
  const UiRegistry& registry = host_.ui().registry;
  item(name);
  until(
      [&] {
        const UiItem* found = registry.find(name);
        return found != nullptr && !found->enabled;
      },
      [&] { return fmt::format("\"{}\" is enabled", name); });
  return registry.find(name)->reason;
}

void Driver::screenshot(const std::string& path) {
  frame();
  write_png(path, host_.screenshot());
}

void Driver::dump(const std::string& path) {
  frame();
  write_file(path, host_.ui().registry.dump());
}

}  // namespace kvarium::ui
