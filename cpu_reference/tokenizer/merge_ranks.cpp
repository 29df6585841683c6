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

MergeRanks merge_ranks(const std::vector<std::pair<std::string_view, std::string_view>>& merges,
                       const std::vector<Piece>& pieces) {
  const PieceIds ids = piece_ids(pieces);
  const auto is_text = [&](TokenId token) {
    const TokenKind kind = pieces[index(token)].kind;
    return kind == TokenKind::normal || kind == TokenKind::user_defined;
  };
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
    const TokenId from = id_of(left), with = id_of(right), to = id_of(joined);
    if (is_text(from) && is_text(with) && is_text(to)) ranks.add(from, with, to);
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
