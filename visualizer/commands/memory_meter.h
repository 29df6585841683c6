#pragma once
// How much memory sharing saves, measured while a run goes on.

#include <cstddef>

#include "core/trace/event_sink.h"
#include "core/trace/world.h"

namespace kvarium {

/// Blocks that were held at the moment at which sharing saved most.
struct SharedMemory {
  std::size_t blocks = 0;           ///< each counted once
  std::size_t without_sharing = 0;  ///< once for each request that holds it

  double saved_percent() const;  ///< 0 when nothing was held
};

/// Keeps the state, and passes every event on.
class MemoryMeter : public EventSink {
 public:
  explicit MemoryMeter(EventSink& sink) : sink_(sink) {}
  void emit(Event event) override;

  const World& world() const { return world_; }
  const SharedMemory& most_saved() const { return most_saved_; }

 private:
  void measure();

  EventSink& sink_;
  World world_;
  SharedMemory most_saved_;
};

}  // namespace kvarium
