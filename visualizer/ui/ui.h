#pragma once
// What every panel gets: the theme, the fonts, the registry of what is on the screen, the shortcuts, the textures.

#include <string>

#include "visualizer/platform/fonts.h"
#include "visualizer/ui/registry.h"
#include "visualizer/ui/shortcuts.h"
#include "visualizer/ui/texture.h"
#include "visualizer/ui/theme.h"

namespace kvarium::ui {

constexpr float kMinZoom = 0.75F;
constexpr float kMaxZoom = 2.0F;

/// One per ImGui context; made by a Host (platform/host.h).
class Ui {
 public:
  explicit Ui(TextureBackend& backend) : textures(backend) {}

  TextureBackend& textures;
  UiRegistry registry;
  Shortcuts shortcuts;

  const Theme& theme() const { return theme_of(theme_name_); }
  const Fonts& fonts() const { return fonts_; }

  /// Pixels per logical pixel: the screen's scale times the zoom. Multiply every drawn constant by it: px().
  float scale() const { return content_scale_ * zoom_; }
  float px(float logical) const { return logical * scale(); }

  /// Rises whenever theme, zoom or screen change: painted textures made before are out of date.
  int look_version() const { return look_version_; }

  // The changes below take effect before the next frame.
  void set_theme(ThemeName name);
  float zoom() const { return zoom_; }
  void set_zoom(float zoom);  ///< clamped to [kMinZoom, kMaxZoom]
  void set_content_scale(float scale);
  /// Text whose characters need glyphs beyond Latin: the values of the catalogue in use.
  void set_glyphs(std::string text);

  /// Something moves: draw the next frame at once. Without it the window sleeps until there is input.
  void keep_moving() { moving_ = true; }

  /// Whether the mouse has been still over one thing for long enough to show a tooltip. `item`: its ImGui id.
  bool mouse_rests_on(unsigned item);

  /// For hosts: applies the changes. Returns true when the font atlas was loaded anew and must be uploaded.
  bool prepare_frame();
  /// For hosts: whether a panel called keep_moving() since the last call.
  bool take_moving();

  /// Who has the keyboard now.
  KeyboardFocus keyboard_focus() const;

 private:
  Fonts fonts_;
  ThemeName theme_name_ = ThemeName::dark;
  float content_scale_ = 1;
  float zoom_ = 1;
  std::string glyphs_;
  bool style_changed_ = true;
  bool fonts_changed_ = true;
  bool moving_ = false;
  int look_version_ = 0;
  unsigned hovered_item_ = 0;
  double hovered_since_ = 0;  ///< seconds of the program's time
  int hovered_frame_ = 0;
};

}  // namespace kvarium::ui
