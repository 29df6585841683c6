#pragma once
// Where in the trace the window is, and how it moves: play, pause, step, step back, speed, scrub. A moment is a number
// of events: the World after that many.

#include <cstdint>
#include <vector>

#include "core/trace/event.h"

namespace kvarium::ui {

/// What one step of the transport is: one event, one step of the engine, or until a request arrives, starts or ends.
enum class Granularity : std::uint8_t { micro, step, request };

/// The moments at which each granularity stops, collected from a trace event by event.
class Stops {
 public:
  void append(const Event& event);
  void clear();

  std::uint64_t events() const { return events_; }
  /// The next moment after `position`; the end of the trace when there is none.
  std::uint64_t next(std::uint64_t position, Granularity granularity) const;
  /// The last moment before `position`; 0 when there is none.
  std::uint64_t previous(std::uint64_t position, Granularity granularity) const;
  /// The next and previous mark: a block handed out, shared or given back, a request preempted, a lesson's word.
  std::uint64_t next_mark(std::uint64_t position) const;
  std::uint64_t previous_mark(std::uint64_t position) const;
  /// The moments at which a lesson has said or asked something: playing stops there.
  const std::vector<std::uint64_t>& words() const { return words_; }
  std::uint64_t next_words(std::uint64_t position) const;
  std::uint64_t previous_words(std::uint64_t position) const;
  bool has_words() const { return !words_.empty(); }
  /// Indices of the StepStarted events, ascending.
  const std::vector<std::uint64_t>& step_starts() const { return step_starts_; }
  /// The moment after the last event of step `step`.
  std::uint64_t end_of_step(std::uint64_t step) const;

 private:
  std::uint64_t events_ = 0;
  std::vector<std::uint64_t> step_starts_, requests_, marks_, words_;
  bool last_was_words_ = false;
};

constexpr float kMaxSpeed = 0;  ///< "max": a stop each frame
/// 0.25, 0.5, 1, 2, 4, 8 and kMaxSpeed, slow to fast.
const std::vector<float>& speeds();

/// Plays a trace that may still grow.
class Playback {
 public:
  bool playing = false;
  float speed = 1;
  Granularity granularity = Granularity::step;

  std::uint64_t position() const { return position_; }
  /// Lets `seconds` pass. `growing`: more events will come, so the end of the trace is waited at, not stopped at.
  void advance(double seconds, const Stops& stops, bool growing);
  void step_forward(const Stops& stops);
  void step_back(const Stops& stops);
  /// To any moment; pauses.
  void jump(std::uint64_t position, const Stops& stops);
  /// Play or pause. At the end it starts again from the beginning.
  void toggle(const Stops& stops, bool growing);
  void faster();
  void slower();
  void reset();

 private:
  double waited_ = 0;  ///< seconds since the last stop
  std::uint64_t position_ = 0;
};

/// Seconds between two stops at speed 1.
double dwell(Granularity granularity);

}  // namespace kvarium::ui
