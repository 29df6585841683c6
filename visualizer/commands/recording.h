#pragma once
// A recording of a run that may still be refused.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace_io.h"

namespace kvarium {

/// Opens the file with the first request: one that is refused replaces no file. Events before it wait. An empty path
/// records nothing.
class Recording : public EventSink {
 public:
  explicit Recording(std::string path) : path_(std::move(path)) {}
  void emit(Event event) override {
    if (path_.empty()) return;
    const bool arrived = std::holds_alternative<RequestArrived>(event);
    early_.push_back(std::move(event));
    if (!writer_ && !arrived) return;
    if (!writer_) writer_ = std::make_unique<TraceWriter>(path_);
    for (Event& waiting : early_) writer_->emit(std::move(waiting));
    early_.clear();
  }

 private:
  std::string path_;
  std::vector<Event> early_;
  std::unique_ptr<TraceWriter> writer_;
};

}  // namespace kvarium
