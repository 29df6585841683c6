#include "cpu_reference/tokenizer/merge_ranks.h"

namespace kvarium::cpu {
namespace {

std::uint64_t key(TokenId left, TokenId right) {
  return (std::uint64_t{static_cast<std::uint32_t>(value(left))} << 32U) | static_cast<std::uint32_t>(value(right));
}

}  // namespace

void MergeRanks::add(TokenId left, TokenId right, TokenId joined) {
  joins_.emplace(key(left, right), Join{joined, -static_cast<double>(joins_.size())});
}

std::optional<Join> MergeRanks::join(TokenId left, TokenId right) const {
  const auto found = joins_.find(key(left, right));
  return found == joins_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kvarium::cpu
