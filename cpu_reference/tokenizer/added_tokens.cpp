#include "cpu_reference/tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

#include "cpu_reference/tokenizer/unicode.h"

namespace kvarium::cpu {
namespace {

bool is_white(const Character& character) {
  return character.kind == CharacterKind::space || character.kind == CharacterKind::line_break;
}

/// Where the white space before text[at] begins; not before `from`.
std::size_t white_start(std::string_view text, std::size_t from, std::size_t at) {
  while (at > from) {
    std::size_t start = at - 1;
    while (start > from && (text[start] & 0xC0) == 0x80) --start;  // inside a character
    const Character character = character_at(text, start);
    if (!is_white(character) || start + character.length != at) return at;
    at = start;
  }
  return at;
}

std::size_t white_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_white(character_at(text, at))) at += character_at(text, at).length;
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (std::size_t row = 0; row < tokens_.size(); ++row) {
    if (tokens_[row].text.empty()) continue;
    by_first_byte_[static_cast<unsigned char>(tokens_[row].text.front())].push_back(row);
  }
  for (std::vector<std::size_t>& rows : by_first_byte_) {
    std::stable_sort(rows.begin(), rows.end(),
                     [this](std::size_t a, std::size_t b) { return tokens_[a].text.size() > tokens_[b].text.size(); });
  }
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t from,
                                                    const MayControl& may_control) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    const AddedToken* token = longest_at(text, at, may_control);
    if (token == nullptr) continue;
    const std::size_t start = token->takes_space_left ? white_start(text, from, at) : at;
    std::size_t end = at + token->text.size();
    if (token->takes_space_right) end = white_end(text, end);
    return Match{start, end - start, token->id};
  }
  return {};
}

const AddedToken* AddedTokens::longest_at(std::string_view text, std::size_t at, const MayControl& may_control) const {
  for (const std::size_t row : by_first_byte_[static_cast<unsigned char>(text[at])]) {
    const AddedToken& token = tokens_[row];
    if (text.compare(at, token.text.size(), token.text) != 0) continue;
    if (!token.control || may_control(at, at + token.text.size())) return &token;
  }
  return nullptr;
}

std::vector<AddedToken> added_tokens_of(const std::vector<Piece>& pieces) {
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const TokenKind kind = pieces[id].kind;
    const bool control = kind == TokenKind::control || kind == TokenKind::unknown;
    if (!control && kind != TokenKind::user_defined) continue;
    added.push_back({pieces[id].bytes, TokenId{static_cast<std::int32_t>(id)}, control});
  }
  return added;
}

}  // namespace kvarium::cpu
