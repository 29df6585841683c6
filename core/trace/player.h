#pragma once
// A place in a trace and the World there. It knows no clock: who plays a trace decides when to step.

#include <cstddef>
#include <optional>

#include "core/trace/trace.h"

namespace kvarium {

/// How far one step of the player goes: one event; to the end of an engine step; to where a request arrives or ends.
enum class Granularity : std::uint8_t { event, step, request };

/// Follows a trace that grows: the player stays where it is, and to_end() folds only what is new.
class Player {
 public:
  /// At the start. The trace must outlive the player.
  explicit Player(const Trace& trace) : trace_(&trace) {}

  const Trace& trace() const { return *trace_; }
  const World& world() const { return world_; }
  std::size_t position() const { return world_.events; }  ///< how many events have happened
  bool at_start() const { return position() == 0; }
  bool at_end() const { return position() == trace_->size(); }
  /// The event that led here; nothing at the start.
  const Event* last_event() const { return at_start() ? nullptr : &(*trace_)[position() - 1]; }

  /// Goes to position n; to the end when n is past it.
  void seek(std::size_t n);
  void to_start() { seek(0); }
  void to_end() { seek(trace_->size()); }
  /// To the end of engine step `step`; 0: before the first step. The last step's end when there is no such step.
  void seek_step(std::uint64_t step);

  /// False, and stays, at the end; forward() within a step that has not ended yet goes to the end of the trace.
  bool forward(Granularity granularity);
  bool back(Granularity granularity);  ///< False, and stays, at the start.
  /// Goes to just after the next event with one of the marks. False, and stays, when there is none.
  bool next_mark(MarkSet marks);
  /// Goes to just after the last event before this position's own with one of the marks. False, and stays, when there
  /// is none.
  bool previous_mark(MarkSet marks);

  /// Where forward() and back() would go.
  std::size_t position_forward(Granularity granularity) const;
  std::size_t position_back(Granularity granularity) const;

 private:
  std::optional<std::size_t> after_next(MarkSet marks) const;
  std::optional<std::size_t> after_previous(MarkSet marks) const;
  bool go(std::optional<std::size_t> position);

  const Trace* trace_;
  World world_;
};

}  // namespace kvarium
