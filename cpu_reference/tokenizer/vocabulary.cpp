#include "cpu_reference/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

constexpr std::array<std::string_view, 8> kEndNames = {
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<end_of_turn>", "</s>"};

}  // namespace

PieceIds piece_ids(const std::vector<Piece>& pieces) {
  PieceIds ids;
  ids.reserve(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    ids.emplace(pieces[id].bytes, TokenId{static_cast<std::int32_t>(id)});
  }
  return ids;
}

void pad_vocabulary(std::vector<Piece>& pieces, std::optional<std::size_t> rows) {
  if (!rows) return;
  if (pieces.size() > *rows) {
    throw InputError(tr_format("it has {} pieces, but the model's vocabulary has {}: they do not belong together",
                               pieces.size(), *rows));
  }
  while (pieces.size() < *rows) pieces.push_back(unused_piece(pieces.size()));
}

Piece unused_piece(std::size_t id) { return {fmt::format("<unused {}>", id), 0, TokenKind::unused}; }

void add_ends_by_name(const std::vector<Piece>& pieces, std::vector<TokenId>& ends) {
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const Piece& piece = pieces[id];
    const TokenId token{static_cast<std::int32_t>(id)};
    if (piece.kind != TokenKind::control || std::find(ends.begin(), ends.end(), token) != ends.end()) continue;
    if (std::find(kEndNames.begin(), kEndNames.end(), piece.bytes) != kEndNames.end()) ends.push_back(token);
  }
}

}  // namespace kvarium::cpu
