#pragma once
// The merges of a vocabulary in the order in which they were learnt.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/tokenizer/bpe_merge.h"
#include "cpu_reference/tokenizer/vocabulary.h"

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

/// The merges of a file, in its order, without those in which a control, unknown, unused or byte token takes part: a
/// user who writes "<|im_end|>" must not end the turn by it. InputError naming the first merge whose sides, or what
/// they become, are no pieces.
MergeRanks merge_ranks(const std::vector<std::pair<std::string_view, std::string_view>>& merges,
                       const std::vector<Piece>& pieces);

/// The two sides of a merge as files write them, "l o"; InputError when there are not two.
std::pair<std::string_view, std::string_view> merge_sides(std::string_view merge);

}  // namespace kvarium::cpu
