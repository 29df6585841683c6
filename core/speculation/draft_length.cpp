#include "core/speculation/draft_length.h"

#include <algorithm>

#include "core/speculation/theory.h"

namespace kvarium {
namespace {

constexpr double kRemembered = 0.9;  ///< of what was counted before, a round later

}  // namespace

std::uint32_t DraftLength::next() const {
  if (!options_.adaptive) return options_.most;
  return std::max(1U, best_draft_length(acceptance(), options_.cost, options_.most));
}

void DraftLength::observe(std::uint32_t judged, std::uint32_t accepted) {
  accepted_ = kRemembered * accepted_ + accepted;
  judged_ = kRemembered * judged_ + judged;
}

}  // namespace kvarium
