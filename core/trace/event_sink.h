#pragma once
// Where events go. Structures that change announce each change to a sink; they never know who listens.

#include <utility>
#include <vector>

#include "core/trace/event.h"

namespace kvarium {

class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;
  virtual ~EventSink() = default;

  virtual void emit(Event event) = 0;
};

/// Keeps the events in a vector: for tests and for hand-over between threads.
class VectorSink : public EventSink {
 public:
  void emit(Event event) override { events.push_back(std::move(event)); }
  std::vector<Event> events;
};

/// Drops every event: for runs that nobody watches.
class NullSink : public EventSink {
 public:
  void emit(Event) override {}
};

}  // namespace kvarium
