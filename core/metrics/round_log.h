#pragma once
// The rounds of drafts of a run, in the order in which they happened: from its events alone.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace kvarium {

/// One request's round, and what it did to both caches.
struct RoundRecord {
  std::uint64_t step = 0;
  RequestId request{};
  DraftRound round;
  std::vector<BlockId> taken;     ///< by the pass over the drafts
  std::vector<BlockId> returned;  ///< when the drafts were taken back
  std::uint32_t given = 0;        ///< tokens that the request got: fewer than were accepted where its answer ended
  std::uint32_t draft_read = 0;   ///< tokens in the draft model's own cache at its fullest in this step
  bool operator==(const RoundRecord&) const = default;
};

/// The rounds of the World's step so far, of the events that led there.
std::vector<RoundRecord> rounds_of_step(const Trace& trace, const World& now);

/// Built from the events of a trace, and brought up to date with what the trace has gained since.
class RoundLog {
 public:
  /// Reads the events of the trace that it does not know yet; always of the same trace.
  void follow(const Trace& trace);

  /// Of all steps that have ended.
  const std::vector<RoundRecord>& ended() const { return ended_; }

 private:
  World world_;
  std::vector<RoundRecord> ended_;
};

/// All rounds up to a moment: those of the steps before, and those of its own step as far as they have come. The log
/// must outlive it.
class Rounds {
 public:
  Rounds() = default;
  Rounds(const RoundLog& log, const Trace& trace, const World& now);

  std::size_t size() const { return num_ended_ + open_.size(); }
  bool empty() const { return size() == 0; }
  const RoundRecord& operator[](std::size_t i) const {
    return i < num_ended_ ? log_->ended()[i] : open_[i - num_ended_];
  }

 private:
  const RoundLog* log_ = nullptr;
  std::size_t num_ended_ = 0;  ///< of the log's
  std::vector<RoundRecord> open_;
};

}  // namespace kvarium
