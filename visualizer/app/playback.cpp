#include "visualizer/app/playback.h"

#include <algorithm>

namespace kvarium::ui {
namespace {

bool is_mark(const Event& event) {
  return std::holds_alternative<BlockAllocated>(event) || std::holds_alternative<BlockShared>(event) ||
         std::holds_alternative<BlockReleased>(event) || std::holds_alternative<RequestPreempted>(event) ||
         std::holds_alternative<Said>(event) || std::holds_alternative<Asked>(event);
}

bool is_request_event(const Event& event) {
  return std::holds_alternative<RequestArrived>(event) || std::holds_alternative<RequestAdmitted>(event) ||
         std::holds_alternative<RequestPreempted>(event) || std::holds_alternative<RequestFinished>(event) ||
         std::holds_alternative<RequestAborted>(event);
}

std::uint64_t next_of(const std::vector<std::uint64_t>& moments, std::uint64_t position, std::uint64_t otherwise) {
  const auto found = std::upper_bound(moments.begin(), moments.end(), position);
  return found == moments.end() ? otherwise : *found;
}

std::uint64_t previous_of(const std::vector<std::uint64_t>& moments, std::uint64_t position) {
  const auto found = std::lower_bound(moments.begin(), moments.end(), position);
  return found == moments.begin() ? 0 : *(found - 1);
}

}  // namespace

void Stops::append(const Event& event) {
  const bool words = std::holds_alternative<Said>(event) || std::holds_alternative<Asked>(event);
  if (std::holds_alternative<StepStarted>(event)) step_starts_.push_back(events_);
  ++events_;
  if (is_request_event(event)) requests_.push_back(events_);
  if (is_mark(event)) marks_.push_back(events_);
  // A question right after a sentence belongs to it: one stop for both.
  if (words && std::holds_alternative<Asked>(event) && last_was_words_)
    words_.back() = events_;
  else if (words)
    words_.push_back(events_);
  last_was_words_ = words;
}

void Stops::clear() { *this = {}; }

// The end of step s is the moment before step s + 1 starts: the index of its StepStarted event.
std::uint64_t Stops::next(std::uint64_t position, Granularity granularity) const {
  switch (granularity) {
    case Granularity::micro:
      return std::min(position + 1, events_);
    case Granularity::step:
      return next_of(step_starts_, position, events_);
    case Granularity::request:
      return next_of(requests_, position, events_);
  }
  return events_;
}

std::uint64_t Stops::previous(std::uint64_t position, Granularity granularity) const {
  switch (granularity) {
    case Granularity::micro:
      return position == 0 ? 0 : position - 1;
    case Granularity::step:
      return previous_of(step_starts_, position);
    case Granularity::request:
      return previous_of(requests_, position);
  }
  return 0;
}

std::uint64_t Stops::next_mark(std::uint64_t position) const { return next_of(marks_, position, events_); }
std::uint64_t Stops::previous_mark(std::uint64_t position) const { return previous_of(marks_, position); }
std::uint64_t Stops::next_words(std::uint64_t position) const { return next_of(words_, position, events_); }
std::uint64_t Stops::previous_words(std::uint64_t position) const { return previous_of(words_, position); }

std::uint64_t Stops::end_of_step(std::uint64_t step) const {
  return step < step_starts_.size() ? step_starts_[static_cast<std::size_t>(step)] : events_;
}

const std::vector<float>& speeds() {
  static const std::vector<float> kSpeeds{0.25F, 0.5F, 1, 2, 4, 8, kMaxSpeed};
  return kSpeeds;
}

double dwell(Granularity granularity) {
  switch (granularity) {
    case Granularity::micro:
      return 0.35;
    case Granularity::step:
      return 0.9;
    case Granularity::request:
      return 1.2;
  }
  return 1;
}

void Playback::advance(double seconds, const Stops& stops, bool growing) {
  if (!playing) return;
  waited_ += seconds;
  while (playing && position_ < stops.events()) {
    const double wait = speed == kMaxSpeed ? 0 : dwell(granularity) / static_cast<double>(speed);
    if (waited_ < wait) return;
    waited_ = speed == kMaxSpeed ? 0 : waited_ - wait;
    const std::uint64_t words = stops.next_words(position_);
    position_ = std::min(stops.next(position_, granularity), words);
    if (stops.has_words() && position_ == words && words < stops.events()) playing = false;
    if (speed == kMaxSpeed) break;
  }
  if (position_ < stops.events()) return;
  waited_ = std::min(waited_, dwell(granularity));
  if (!growing) playing = false;
}

void Playback::step_forward(const Stops& stops) {
  playing = false;
  waited_ = 0;
  position_ = stops.next(position_, granularity);
}

void Playback::step_back(const Stops& stops) {
  playing = false;
  waited_ = 0;
  position_ = stops.previous(position_, granularity);
}

void Playback::jump(std::uint64_t position, const Stops& stops) {
  playing = false;
  waited_ = 0;
  position_ = std::min(position, stops.events());
}

void Playback::toggle(const Stops& stops, bool growing) {
  playing = !playing;
  // The first stop comes at once: a press must be answered.
  waited_ = dwell(granularity) / (speed == kMaxSpeed ? 1.0 : static_cast<double>(speed));
  if (playing && position_ >= stops.events() && !growing) {
    position_ = 0;
    waited_ = 0;
  }
}

void Playback::faster() {
  const auto at = std::find(speeds().begin(), speeds().end(), speed);
  if (at != speeds().end() && at + 1 != speeds().end()) speed = *(at + 1);
}

void Playback::slower() {
  const auto at = std::find(speeds().begin(), speeds().end(), speed);
  if (at != speeds().begin() && at != speeds().end()) speed = *(at - 1);
}

void Playback::reset() {
  playing = false;
  position_ = 0;
  waited_ = 0;
}

}  // namespace kvarium::ui
