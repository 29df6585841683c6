#pragma once
// The merge loop of byte pair encoding, in O(n log n): the pairs wait in a priority queue.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/ids.h"

namespace kvarium::cpu {

/// What two neighbouring tokens become.
struct Join {
  TokenId token{};
  double score = 0;  ///< the best is joined first
};

/// Nothing: the two stay apart.
using JoinRule = std::function<std::optional<Join>(TokenId left, TokenId right)>;

struct Merged {
  std::vector<TokenId> tokens;
  std::uint64_t pairs_looked_up = 0;  ///< how often the rule was asked: at most three times a token
};

/// Joins neighbouring pairs until no pair can be joined: the best score first, the leftmost of equals. Gives what
/// scanning all pairs before each merge gives (the tests do just that), but a prompt of 100,000 characters does not
/// take 100,000 scans.
Merged merge_pairs(const JoinRule& rule, const std::vector<TokenId>& tokens);

}  // namespace kvarium::cpu
