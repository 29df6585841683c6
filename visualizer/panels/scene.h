#pragma once
// What a frame shows: plain values and references that panels read and never change.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/player.h"
#include "core/trace/timeline.h"
#include "visualizer/draw/painter.h"
#include "visualizer/layout/picture.h"
#include "visualizer/layout/target.h"
#include "visualizer/panels/actions.h"
#include "visualizer/ui/widgets.h"

namespace kvarium::ui {

struct Scene {
  const Player& player;
  const Timeline& timeline;
  const layout::PoolPicture& picture;             ///< of the World now
  const layout::PoolPicture& before;              ///< that the picture changes from
  const std::vector<std::size_t>& tables_before;  ///< entries of each request's table before the change
  float change = 1;                               ///< how far the change is, eased: 0 is before, 1 is now
  const World* step_start = nullptr;  ///< when the step started; nullptr: it evicted no node of the radix tree

  std::string title{};                         ///< of the scenario, lesson or trace that is shown
  std::string summary{};                       ///< what happens in it and what to look at
  std::span<const std::string> model_facts{};  ///< what was read of the model file that the run uses; empty: none
  bool playing = false;
  bool running = false;  ///< the engine is still at work
  float speed = 1;
  Granularity granularity = Granularity::step;
  bool reduce_motion = false;
  std::string now{};  ///< one sentence: what just happened
  const std::vector<std::string>& violations;
  std::size_t invariants_that_hold = 0;
  std::vector<Target> pointed{};  ///< what the lesson's words point at
  double seconds = 0;             ///< since the program started

  const World& world() const { return player.world(); }
  const Trace& trace() const { return player.trace(); }
};

/// Handed to every panel.
struct PanelContext {
  Ui& ui;
  const Scene& scene;
  Selection& selection;
  Actions& actions;

  float px(float logical) const { return ui.px(logical); }
};

/// A dock as a card with rounded corners; what is drawn in its lifetime belongs to it.
class Panel {
 public:
  Panel(PanelContext& context, std::string_view id, std::string_view title, const layout::Rect& dock,
        ImGuiWindowFlags flags = 0);
  ~Panel();
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;

  bool visible() const { return visible_; }

 private:
  bool visible_;
};

/// Something to press that is drawn by hand, recorded under its id.
struct Pressable {
  layout::Rect area;
  bool hovered = false;
  bool pressed = false;  ///< in this frame
};
Pressable pressable(PanelContext& context, std::string_view id, std::string_view kind, std::string_view label,
                    std::string value, float height);

/// The room that is left in the current window, in pixels of the screen.
layout::Rect room_left();
ScreenRect screen_rect(const layout::Rect& rect);
layout::Rect layout_rect(const Canvas& canvas);
layout::Point mouse();
/// A dim sentence in the middle of the room that is left: what to do when there is nothing to show.
void empty_state(PanelContext& context, std::string_view id, std::string_view words);

}  // namespace kvarium::ui
