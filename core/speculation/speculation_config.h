#pragma once
// How an engine speculates.

#include <cstdint>

#include "core/speculation/acceptance.h"
#include "core/speculation/draft_length.h"
#include "core/speculation/proposer.h"

namespace kvarium {

/// How drafts are judged where the request samples; a greedy request's are compared with the likeliest token.
enum class AcceptanceRule : std::uint8_t {
  exact,    ///< modified rejection sampling: the target's distribution
  typical,  ///< typical acceptance: more drafts pass, and the distribution is another
};

struct SpeculationConfig {
  Proposer* proposer = nullptr;  ///< none: plain decoding. It must outlive the engine, and serves no other
  DraftLengthOptions length = {};
  AcceptanceRule rule = AcceptanceRule::exact;
  TypicalOptions typical = {};
};

inline constexpr std::uint32_t kMostDrafts = 128;  ///< a round

/// InputError for lengths out of range or a cost that is none.
void check(const SpeculationConfig& config);

}  // namespace kvarium
