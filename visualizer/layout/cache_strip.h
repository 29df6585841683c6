#pragma once
// The end of a request's K and V in both caches, the target's and the draft model's, position by position.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/metrics/round_log.h"

namespace kvarium::ui::layout {

/// valid: K and V that count; draft: of a guess that is to be judged; stale: taken back, or about to be; held: nothing
/// was written yet; missing: a known token that the draft model has not read; none: no place is held.
enum class CachedState : std::uint8_t { none, held, draft, valid, stale, missing };

/// A block of the target's cache, or what of it is shown.
struct StripBlock {
  std::uint32_t block = 0;
  std::size_t first = 0, count = 0;  ///< cells
  bool returned = false;             ///< to the pool, in this step
  bool operator==(const StripBlock&) const = default;
};

/// Cell i is position first + i.
struct CacheStrip {
  std::uint64_t first = 0;
  std::vector<CachedState> target, draft;  ///< as many each
  std::vector<StripBlock> blocks;
};

/// The last `most` positions (at least 1) that either cache holds or held in this step. `round`: the request's of this
/// step, if it has one. The strip begins with a whole block where one fits.
CacheStrip cache_strip(const World& world, const RequestState& request, const RoundRecord* round, std::size_t most);

/// "7[====] 3[====] 12[====] 5[=xxx]": = valid, ? to be judged, x stale, _ held; "returned 5[xxxx]".
std::string target_notation(const CacheStrip& strip);
/// "==============.": as above, and . is a token that the draft model has not read; without what it holds nothing for.
std::string draft_notation(const CacheStrip& strip);

}  // namespace kvarium::ui::layout
