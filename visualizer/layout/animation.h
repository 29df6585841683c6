#pragma once
// How a picture changes into the next one: what is drawn is a function of two pictures and the time between them, so
// stepping back plays the same change the other way round, and a test can ask for any moment.

#include <cstdint>

#include "visualizer/layout/picture.h"

namespace kvarium::ui {

float ease_out_cubic(float t);
float ease_in_out(float t);

/// From 0 to 1 over `duration` seconds. A duration of 0 is over at once.
struct Tween {
  double start = 0, duration = 0;
  float progress(double now) const;
  bool running(double now) const { return progress(now) < 1; }
};

constexpr float kMaxSpeed = 0;  ///< the speed "max": no waiting, nothing moves between states

constexpr double kStructureSeconds = 0.24;  ///< a block or a table entry appears or goes, at speed 1
/// Seconds of a change at `speed`; 0 from speed 8 on, when playing at "max", and with reduced motion: only states are
/// drawn then. Single steps (`stepping`) always animate at speed 1, unless motion is reduced.
double change_seconds(float speed, bool stepping, bool reduce_motion);

/// What is drawn of one block: fractions where a picture has whole numbers.
struct BlockLook {
  float owned = 0;   ///< 0: free, 1: fully the owner's
  float filled = 0;  ///< slots
  float flash = 0;   ///< 1: the slots that this step computed shine
  float read = 0;    ///< height of the read bar, 0 to 1
  bool operator==(const BlockLook&) const = default;
};

BlockLook look_of(const layout::BlockPicture& block);
/// The look at t in [0, 1] between two looks.
BlockLook mix(const BlockLook& from, const BlockLook& to, float t);

}  // namespace kvarium::ui
