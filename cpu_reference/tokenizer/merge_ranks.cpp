#include "cpu_reference/tokenizer/merge_ranks.h"

#include <string>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

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

MergeRanks merge_ranks(const std::vector<std::pair<std::string_view, std::string_view>>& merges, const PieceIds& ids) {
  MergeRanks ranks;
  for (std::size_t row = 0; row < merges.size(); ++row) {
    const std::string_view left = merges[row].first;
    const std::string_view right = merges[row].second;
    const std::string joined = std::string(left).append(right);
    const auto id_of = [&](std::string_view piece) {
      const auto found = ids.find(piece);
      if (found != ids.end()) return found->second;
      throw InputError(tr_format("merge {} joins {} and {}, but {} is no piece of the vocabulary", row, shown(left),
                                 shown(right), shown(piece)));
    };
    ranks.add(id_of(left), id_of(right), id_of(joined));
  }
  return ranks;
}

std::pair<std::string_view, std::string_view> merge_sides(std::string_view merge) {
  const std::size_t space = merge.find(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos) {
    throw InputError(tr_format("{} is no merge: two pieces with a space between them", shown(merge)));
  }
  return {merge.substr(0, space), merge.substr(space + 1)};
}

}  // namespace kvarium::cpu
