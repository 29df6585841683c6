#pragma once
// How many tokens are guessed ahead: always as many, or as many as paid off lately.

#include <cstdint>

namespace kvarium {

struct DraftLengthOptions {
  std::uint32_t most = 4;  ///< drafts a round, at least 1
  bool adaptive = false;   ///< of chains of drafts; false, and for trees: always the most
  double cost = 0.1;       ///< c: of one step of the proposer, in steps of the target; for adaptive lengths
};

/// Of one request. Adaptive: the length that theory finds best for the acceptance of the last rounds, and never 0, so
/// that the acceptance goes on being measured.
class DraftLength {
 public:
  explicit DraftLength(const DraftLengthOptions& options) : options_(options) {}

  std::uint32_t next() const;
  /// A round ended in which so many drafts were judged, up to the first that was rejected.
  void observe(std::uint32_t judged, std::uint32_t accepted);
  /// Of the drafts that were judged; earlier rounds count less and less. 1 before the first.
  double acceptance() const { return judged_ > 0 ? accepted_ / judged_ : 1; }

 private:
  DraftLengthOptions options_;
  double accepted_ = 0;
  double judged_ = 0;  ///< never less than accepted_
};

}  // namespace kvarium
