#include "cpu_reference/tokenizer/byte_level_bpe.h"

#include <utility>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/tokenizer/byte_symbols.h"
#include "cpu_reference/tokenizer/unicode.h"

namespace kvarium::cpu {
namespace {

std::vector<Piece> with_bytes(std::vector<Piece> pieces) {
  for (Piece& piece : pieces) {
    if (piece.kind != TokenKind::normal) continue;
    if (std::optional<std::string> bytes = bytes_of_symbols(piece.bytes)) piece.bytes = *std::move(bytes);
  }
  return pieces;
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added, ByteLevelRules rules)
    : Tokenizer(with_bytes(pieces), std::move(specials), std::move(added)), rules_(std::move(rules)) {
  for (std::size_t id = 0; id < vocab(); ++id) {
    const Piece& piece = this->pieces()[id];
    if (piece.kind != TokenKind::normal || !bytes_of_symbols(pieces[id].bytes)) continue;
    const TokenId token{static_cast<std::int32_t>(id)};
    if (piece.bytes.size() == 1) {
      std::optional<TokenId>& of_byte = bytes_[static_cast<unsigned char>(piece.bytes.front())];
      if (!of_byte) of_byte = token;
    }
    if (rules_.whole_words) words_.emplace(piece.bytes, token);
  }
}

std::string ByteLevelBpe::piece(std::optional<TokenId> /*previous*/, TokenId token) const {
  const Piece& piece = at(token);
  const bool is_silent = piece.kind == TokenKind::control || piece.kind == TokenKind::unused;
  return is_silent ? std::string() : piece.bytes;
}

void ByteLevelBpe::append_text(std::string_view text, bool /*is_start*/, std::vector<TokenId>& tokens) const {
  std::string changed;
  if (rules_.composes) {
    changed = compose(text);
    text = changed;
  }
  if (rules_.space_before && text.front() != ' ') {
    changed = ' ' + std::string(text);
    text = changed;
  }
  for (const std::string_view word : pre_tokenize(text, rules_.splits)) append_word(word, tokens);
}

void ByteLevelBpe::append_word(std::string_view word, std::vector<TokenId>& tokens) const {
  if (const auto found = words_.find(word); found != words_.end()) {
    tokens.push_back(found->second);
    return;
  }
  std::vector<TokenId> bytes;
  bytes.reserve(word.size());
  for (const char byte : word) {
    const std::optional<TokenId> token = bytes_[static_cast<unsigned char>(byte)];
    if (!token) {
      throw InputError(tr_format("the vocabulary has no piece for the byte 0x{:02X} of \"{}\"",
                                 static_cast<unsigned char>(byte), printable(word.substr(0, 40))));
    }
    bytes.push_back(*token);
  }
  const auto rule = [this](TokenId left, TokenId right) { return rules_.merges.join(left, right); };
  const Merged merged = merge_pairs(rule, bytes);
  tokens.insert(tokens.end(), merged.tokens.begin(), merged.tokens.end());
}

}  // namespace kvarium::cpu
