#pragma once
// The merges of a vocabulary in the order in which they were learnt.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/ids.h"
#include "cpu_reference/tokenizer/bpe_merge.h"

namespace kvarium::cpu {

class MergeRanks {
 public:
  /// Each merge comes after all that were added before; a pair that was added before keeps its place.
  void add(TokenId left, TokenId right, TokenId joined);
  /// What the two become; the score falls with the rank.
  std::optional<Join> join(TokenId left, TokenId right) const;
  std::size_t size() const { return joins_.size(); }

 private:
  std::unordered_map<std::uint64_t, Join> joins_;
};

}  // namespace kvarium::cpu
