#pragma once
// A mailbox between the thread that runs the engine and the thread that draws.

#include <mutex>
#include <utility>
#include <vector>

#include "core/trace/event_sink.h"

namespace kvarium {

/// One thread emits, another takes all that has come since; neither waits for the other's work, only for the swap.
class EventChannel : public EventSink {
 public:
  void emit(Event event) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(event));
  }

  /// Puts what has come, in order, into `batch`, whose old events are dropped and whose memory is used again. False
  /// when nothing has come.
  bool take(std::vector<Event>& batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    std::swap(batch, waiting_);
    return !batch.empty();
  }

 private:
  std::mutex mutex_;
  std::vector<Event> waiting_;
};

}  // namespace kvarium
