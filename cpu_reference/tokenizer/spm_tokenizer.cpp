#include "cpu_reference/tokenizer/spm_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  return {};
}

/// "<0x0A>" is byte 10.
std::optional<std::uint8_t> byte_of(std::string_view piece) {
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return {};
  const std::optional<unsigned> high = hex_digit(piece[3]);
  const std::optional<unsigned> low = hex_digit(piece[4]);
  if (!high || !low) return {};
  return static_cast<std::uint8_t>(16 * *high + *low);
}

}  // namespace

SpmTokenizer::SpmTokenizer(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added, SpmRules rules)
    : Tokenizer(std::move(pieces), std::move(specials), std::move(added)), rules_(std::move(rules)) {
  for (std::size_t id = 0; id < vocab(); ++id) {
    const Piece& piece = this->pieces()[id];
    const TokenId token{static_cast<std::int32_t>(id)};
    if (!std::isfinite(piece.score)) {
      throw InputError(
          tr_format("the score of piece {} of the vocabulary is {}, not a finite number", id, piece.score));
    }
    if (piece.kind == TokenKind::byte) {
      const std::optional<std::uint8_t> byte = byte_of(piece.bytes);
      if (!byte) throw InputError(tr_format("piece {} is to be a byte, but is \"{}\"", id, printable(piece.bytes)));
      if (!bytes_[*byte]) bytes_[*byte] = token;
    }
    if (piece.kind != TokenKind::normal) continue;
    longest_ = std::max(longest_, piece.bytes.size());
    ids_.emplace(piece.bytes, token);  // of equal pieces the first is found
  }
}

std::string SpmTokenizer::piece(std::optional<TokenId> previous, TokenId token) const {
  const Piece& piece = at(token);
  if (piece.kind == TokenKind::control || piece.kind == TokenKind::unused) return {};
  std::string text = text_of(piece);
  if (piece.kind == TokenKind::byte) text.assign(1, static_cast<char>(*byte_of(piece.bytes)));
  if (!text.empty() && text.front() == ' ' && starts_text(previous)) text.erase(0, 1);
  return text;
}

std::string SpmTokenizer::name(TokenId token) const { return printable(text_of(at(token))); }

std::optional<TokenId> SpmTokenizer::find(std::string_view bytes) const {
  if (bytes.size() > longest_) return {};
  const auto found = ids_.find(bytes);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Join> SpmTokenizer::join(TokenId left, TokenId right) const {
  if (rules_.merges) return rules_.merges->join(left, right);
  const Piece& head = at(left);
  const Piece& tail = at(right);
  if (head.kind != TokenKind::normal || tail.kind != TokenKind::normal) return {};
  if (head.bytes.size() + tail.bytes.size() > longest_) return {};
  const std::optional<TokenId> joined = find(head.bytes + tail.bytes);
  if (!joined) return {};
  return Join{*joined, static_cast<double>(at(*joined).score)};
}

void SpmTokenizer::append_text(std::string_view text, bool is_start, std::vector<TokenId>& tokens) const {
  const bool is_place = rules_.prefix == SpacePrefix::every_part || (rules_.prefix == SpacePrefix::start && is_start);
  const bool has_space = text.front() == ' ' || text.substr(0, rules_.space.size()) == rules_.space;
  const std::vector<TokenId> all = characters(text, is_place && (rules_.prefix_before_space || !has_space));
  if (!rules_.within_words) return append_merged(all, tokens);
  const std::optional<TokenId> space = find(rules_.space);
  std::vector<TokenId> word;
  for (const TokenId character : all) {
    if (character == space && !word.empty()) append_merged(std::exchange(word, {}), tokens);
    word.push_back(character);
  }
  append_merged(word, tokens);
}

void SpmTokenizer::append_merged(const std::vector<TokenId>& characters, std::vector<TokenId>& tokens) const {
  const auto rule = [this](TokenId left, TokenId right) { return join(left, right); };
  const Merged merged = merge_pairs(rule, characters);
  tokens.insert(tokens.end(), merged.tokens.begin(), merged.tokens.end());
}

// The tokens before any merge: the space in front, then one token a character, or one a byte.
std::vector<TokenId> SpmTokenizer::characters(std::string_view text, bool with_prefix) const {
  std::vector<TokenId> tokens;
  tokens.reserve(text.size() + 1);
  const auto append = [&](std::string_view character) {
    if (const auto token = find(character == " " ? rules_.space : character)) {
      tokens.push_back(*token);
    } else {
      append_bytes(character, tokens);
    }
  };
  if (with_prefix) append(" ");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      append_bytes(text.substr(at, 1), tokens);  // no valid character starts here
    } else {
      append(text.substr(at, length));
    }
    at += length == 0 ? 1 : length;
  }
  return tokens;
}

void SpmTokenizer::append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const {
  for (const char byte : bytes) {
    const std::optional<TokenId> token = bytes_[static_cast<unsigned char>(byte)];
    if (!token) {
      throw InputError(
          tr_format("the vocabulary has neither a piece for \"{}\" nor pieces for single bytes: leave it "
                    "out of the text, or use another tokenizer",
                    printable(bytes)));
    }
    tokens.push_back(*token);
  }
}

// Whether encode() may have put a space before a token that follows `previous`.
bool SpmTokenizer::starts_text(std::optional<TokenId> previous) const {
  if (rules_.prefix == SpacePrefix::nowhere) return false;
  if (!previous) return !adds_begin();
  if (previous == begin()) return true;
  const TokenKind kind = at(*previous).kind;
  return rules_.prefix == SpacePrefix::every_part &&
         (kind == TokenKind::control || kind == TokenKind::unknown || kind == TokenKind::user_defined);
}

// The piece with spaces for the marks.
std::string SpmTokenizer::text_of(const Piece& piece) const {
  if (rules_.space == " " || piece.kind != TokenKind::normal) return piece.bytes;
  std::string text;
  std::string_view left = piece.bytes;
  for (std::size_t mark = 0; (mark = left.find(rules_.space)) != std::string_view::npos;) {
    text.append(left.substr(0, mark)) += ' ';
    left.remove_prefix(mark + rules_.space.size());
  }
  return text.append(left);
}

}  // namespace kvarium::cpu
