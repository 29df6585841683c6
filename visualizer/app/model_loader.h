#pragma once
// A model file on its way into memory, on a thread of its own.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/cancel.h"
#include "core/progress.h"

namespace kvarium {
struct ModelChoice;
}

namespace kvarium::ui {

/// The files that a model was opened from, as the person named them.
struct ModelFiles {
  std::string model, tokenizer;
  bool operator==(const ModelFiles&) const = default;
};

/// One at a time. All functions are for the window's thread.
class ModelLoader {
 public:
  struct Result {
    ModelFiles files;
    std::shared_ptr<const ModelChoice> choice;  ///< nullptr: cancelled, or it failed
    std::string error;                          ///< one line; empty: it did not fail
  };

  ModelLoader() = default;
  ~ModelLoader() { stop(); }
  ModelLoader(const ModelLoader&) = delete;
  ModelLoader& operator=(const ModelLoader&) = delete;

  /// Stops what is being read and reads these.
  void start(ModelFiles files);
  /// Asks it to stop; the result, without a model, still comes.
  void cancel();
  bool running() const { return job_ != nullptr; }
  /// What is being read; meaningless while nothing is.
  const ModelFiles& files() const { return files_; }
  Progress progress() const;  ///< bytes
  /// The result, once, when it is there.
  std::optional<Result> take();

 private:
  struct Job {
    CancelToken cancel;
    std::atomic<std::uint64_t> done{0}, total{0};
    Result result;  ///< written before `ended`, read after
    std::atomic<bool> ended{false};
  };
  void stop();

  ModelFiles files_;
  std::unique_ptr<Job> job_;
  std::thread thread_;
};

}  // namespace kvarium::ui
