#pragma once
// The list of everything that happened, and the World at any place of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/event_sink.h"
#include "core/trace/mark.h"
#include "core/trace/world.h"

namespace kvarium {

/// Append-only. Every event is folded when it is appended, so a Trace holds only events that can follow each other and
/// knows its newest World. Used by one thread; an EventChannel carries events from another.
///
/// A position n is the place after the first n events, 0 <= n <= size().
///
/// Checkpoints: copies of the World from which seek() folds on. One is made whenever the events since the last one
/// weigh twice the bytes that the checkpoint will cost, so all checkpoints together take at most about half the memory
/// of the events, whatever the size of the pool; with small pools they are kCheckpointEvents events apart.
class Trace : public EventSink {
 public:
  Trace() = default;

  /// Appends. Throws MisuseError, the trace as it was, when the event cannot follow (see fold()).
  void emit(Event event) override;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Event n, from 0; n < size(). The reference stays valid while the trace grows.
  const Event& operator[](std::size_t n) const { return chunks_[n / kChunkEvents][n % kChunkEvents]; }
  Mark mark(std::size_t n) const { return marks_[n]; }  ///< of event n

  /// The World after all events.
  const World& newest() const { return newest_; }
  /// The World after the first n events. MisuseError when n > size().
  World world_at(std::size_t n) const;
  /// Brings a World of this trace to position n: folds on from where it is, or from a checkpoint, whichever is nearer.
  void seek(World& world, std::size_t n) const;

  /// Steps are numbered 1, 2, ..., num_steps().
  std::size_t num_steps() const { return step_starts_.size(); }
  /// The position before step `step` started, which is the place of its StepStarted event. MisuseError when there is no
  /// such step.
  std::size_t start_of_step(std::uint64_t step) const;
  /// The step that position n belongs to, as World::step tells; 0: before the first.
  std::uint64_t step_at(std::size_t n) const;

  std::size_t num_checkpoints() const { return checkpoints_.size(); }

 private:
  static constexpr std::size_t kChunkEvents = 4096;
  static constexpr std::size_t kCheckpointEvents = 4096;

  void make_checkpoint();

  std::vector<std::vector<Event>> chunks_;  // each of kChunkEvents: one vector of all would be copied as it grows
  std::vector<Mark> marks_;                 // [size_]
  std::vector<std::size_t> step_starts_;    // positions
  std::vector<World> checkpoints_;          // in order of World::events
  World newest_;
  std::size_t size_ = 0;
  std::size_t bytes_since_checkpoint_ = 0;
  std::size_t bytes_to_next_checkpoint_ = kCheckpointEvents * sizeof(Event);
};

}  // namespace kvarium
