#pragma once
// What must be true of every World, after every event.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/world.h"

namespace kvarium {

inline constexpr std::size_t kInvariantCount = 28;
inline constexpr std::size_t kMostViolations = 100;  ///< more sentences than this would help nobody

/// In English, each a sentence without its full stop; tr() them before they are shown.
const std::array<std::string_view, kInvariantCount>& invariant_names();

/// One sentence for each thing that is wrong, at most kMostViolations of them; empty when every invariant holds.
/// O(blocks + requests + table entries).
std::vector<std::string> violations(const World& world);

/// How many of the invariants hold: kInvariantCount when violations() is empty.
std::size_t invariants_that_hold(const World& world);

}  // namespace kvarium
