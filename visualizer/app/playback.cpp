#include "visualizer/app/playback.h"

#include <algorithm>

namespace kvarium::ui {
namespace {

bool has_words(const Trace& trace, std::size_t event) {
  return event < trace.size() && kWords.contains(trace.mark(event));
}

}  // namespace

const std::vector<float>& speeds() {
  static const std::vector<float> kSpeeds{0.25F, 0.5F, 1, 2, 4, 8, kMaxSpeed};
  return kSpeeds;
}

double dwell(Granularity granularity) {
  switch (granularity) {
    case Granularity::event:
      return 0.35;
    case Granularity::step:
      return 0.9;
    case Granularity::request:
      return 1.2;
  }
  return 1;
}

std::size_t next_stop(const Player& player, Granularity granularity) {
  const Trace& trace = player.trace();
  const std::size_t target = player.position_forward(granularity);
  for (std::size_t event = player.position(); event < target; ++event) {
    if (!has_words(trace, event)) continue;
    while (has_words(trace, event + 1) && trace.mark(event + 1) == Mark::asked) ++event;
    return event + 1;
  }
  return target;
}

void Playback::advance(double seconds, Player& player, bool growing) {
  if (!playing) return;
  waited_ += seconds;
  const double wait = speed == kMaxSpeed ? 0 : dwell(granularity) / static_cast<double>(speed);
  while (playing && !player.at_end() && waited_ >= wait) {
    waited_ = std::max(0.0, waited_ - wait);
    player.seek(next_stop(player, granularity));
    if (has_words(player.trace(), player.position() - 1)) playing = false;
    if (speed == kMaxSpeed) return;  // each frame shows a stop
  }
  if (!player.at_end()) return;
  waited_ = std::min(waited_, wait);
  if (!growing) playing = false;
}

void Playback::toggle(Player& player, bool growing) {
  playing = !playing;
  waited_ =
      dwell(granularity) / (speed == kMaxSpeed ? 1.0 : static_cast<double>(speed));  // a press is answered at once
  if (!playing || !player.at_end() || growing) return;
  player.to_start();
  waited_ = 0;
}

void Playback::pause() { playing = false; }

void Playback::faster() {
  const auto at = std::find(speeds().begin(), speeds().end(), speed);
  if (at != speeds().end() && at + 1 != speeds().end()) speed = *(at + 1);
}

void Playback::slower() {
  const auto at = std::find(speeds().begin(), speeds().end(), speed);
  if (at != speeds().begin() && at != speeds().end()) speed = *(at - 1);
}

}  // namespace kvarium::ui
