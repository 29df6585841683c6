#pragma once
// The merge loop of byte pair encoding, in O(n log n): the pairs wait in a priority queue.

#include <vector>

#include "core/ids.h"

namespace kvarium::cpu {

class Tokenizer;

/// Joins neighbouring pairs until no pair has a piece: the best score first, the leftmost of equals. Special and byte
/// tokens are never joined. Gives what scanning all pairs before each merge gives (the tests do just that), but a
/// prompt of 100,000 characters does not take 100,000 scans.
std::vector<TokenId> merge_pairs(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens);

}  // namespace kvarium::cpu
