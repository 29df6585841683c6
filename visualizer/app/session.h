#pragma once
// The engine on its own thread: it emits into a mailbox, the window takes what has come before each frame.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/cancel.h"
#include "core/trace/event_channel.h"

namespace kvarium::ui {

/// One piece of work at a time. All functions are for the window's thread.
class Session {
 public:
  /// Emits the events of a run, and returns early when cancelled. What it throws becomes the error.
  using Work = std::function<void(EventSink& sink, const CancelToken& cancel)>;

  Session() = default;
  ~Session() { stop(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Stops what runs, forgets its events, and starts `work`.
  void start(Work work);
  /// Asks the work to stop; events that were emitted still arrive.
  void cancel();
  /// Cancels and waits for the end.
  void stop();
  /// Until the work has ended and all its events were taken.
  bool running() const { return job_ != nullptr; }
  /// Takes the events that have come. False when none has.
  bool take(std::vector<Event>& batch);
  /// Why the work failed, one line, told once.
  std::optional<std::string> take_error();

 private:
  /// What both threads see.
  struct Job {
    EventChannel channel;
    CancelToken cancel;
    std::string error;  ///< written before `done`, read after
    std::atomic<bool> done{false};
  };

  std::unique_ptr<Job> job_;
  std::thread thread_;
  std::optional<std::string> error_;
};

}  // namespace kvarium::ui
