#pragma once
// Answers on a thread of its own what a layer computed for some tokens. While a run grows, it goes on where it was.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/model_shape.h"
#include "visualizer/app/layer_probing.h"
#include "visualizer/panels/probe_answer.h"

namespace kvarium::ui {

struct ProbeQuestion {
  std::shared_ptr<const cpu::Model> model;
  std::uint32_t layer = 0;
  std::vector<TokenId> tokens;  ///< as far as they are known
  std::uint32_t room = 0;       ///< tokens that there will be at most; no less than tokens.size()
  bool operator==(const ProbeQuestion&) const = default;
};

/// All functions are for one thread, the window's.
class ProbeService {
 public:
  /// Tokens that are computed at most: the weights of 32 heads are 16 MiB then. Fewer where K and V are large.
  static constexpr std::uint32_t kMostTokens = 512;
  static constexpr std::uint64_t kMostKvBytes = std::uint64_t{256} << 20U;
  static std::uint32_t most_tokens(const ModelShape& shape);

  ProbeService() = default;
  ~ProbeService();
  ProbeService(const ProbeService&) = delete;
  ProbeService& operator=(const ProbeService&) = delete;

  /// What is asked from now on; another question ends the work on the one before after the chunk in progress.
  void ask(const ProbeQuestion& question);
  /// Nothing is asked any more.
  void forget();
  /// State, progress and numbers of the question; no_model while nothing is asked.
  ProbeAnswer answer() const;
  bool working() const;

 private:
  void work();
  void serve(const ProbeQuestion& question);
  bool outdated(const ProbeQuestion& question) const;
  void start_over();  ///< the mutex is held
  void publish(const ProbeQuestion& question, ProbeAnswer::State state, std::string error = {});

  mutable std::mutex mutex_;  ///< of the members up to answer_
  std::condition_variable changed_;
  std::optional<ProbeQuestion> question_;
  bool fresh_ = false;  ///< the worker has not seen the question yet
  bool stopping_ = false;
  ProbeAnswer answer_;

  std::unique_ptr<LayerProbing> probing_;  ///< the worker's
  std::thread thread_;
};

}  // namespace kvarium::ui
