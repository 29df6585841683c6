#include "cpu_reference/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/utf8.h"
#include "cpu_reference/tokenizer/bpe_merge.h"

namespace kvarium::cpu {
namespace {

constexpr std::size_t kSpecials = 3;
constexpr std::size_t kBytes = 256;

std::string byte_piece(std::size_t byte) { return fmt::format("<0x{:02X}>", byte); }

bool holds_all_bytes(const std::vector<Piece>& pieces) {
  if (pieces.size() < kSpecials + kBytes) return false;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (pieces[kSpecials + byte].bytes != byte_piece(byte)) return false;
  }
  return true;
}

}  // namespace

Tokenizer::Tokenizer(std::vector<Piece> pieces) : pieces_(std::move(pieces)), has_bytes_(holds_all_bytes(pieces_)) {
  if (pieces_.size() < kSpecials) {
    throw InputError(
        fmt::format("a vocabulary of {} pieces lacks <unk>, <s> and </s>, its first three", pieces_.size()));
  }
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    const Piece& piece = pieces_[id];
    if (piece.bytes.empty()) throw InputError(fmt::format("piece {} of the vocabulary is empty", id));
    if (!std::isfinite(piece.score)) {
      throw InputError(
          fmt::format("the score of piece {} of the vocabulary is {}, not a finite number", id, piece.score));
    }
    longest_ = std::max(longest_, piece.bytes.size());
    const TokenId token{static_cast<std::int32_t>(id)};
    if (id >= kSpecials && !is_byte(token)) ids_.emplace(piece.bytes, token);  // of equal pieces the first is found
  }
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens{kBeginOfSequence};
  if (text.empty()) return tokens;
  const std::vector<TokenId> merged = merge_pairs(*this, characters(text));
  tokens.insert(tokens.end(), merged.begin(), merged.end());
  return tokens;
}

std::string Tokenizer::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  std::optional<TokenId> previous;
  for (const TokenId token : tokens) {
    text += piece(previous, token);
    previous = token;
  }
  return text;
}

std::string Tokenizer::piece(std::optional<TokenId> previous, TokenId token) const {
  if (token == kBeginOfSequence || token == kEndOfSequence) return {};
  std::string bytes = at(token).bytes;
  if (is_byte(token)) bytes.assign(1, static_cast<char>(value(token) - kFirstByte));
  if (previous == kBeginOfSequence && bytes.front() == ' ') bytes.erase(0, 1);
  return bytes;
}

std::string Tokenizer::name(TokenId token) const {
  if (token == kBeginOfSequence) return "<s>";
  if (token == kEndOfSequence) return "</s>";
  return printable(at(token).bytes);
}

std::optional<TokenId> Tokenizer::find(std::string_view bytes) const {
  if (bytes.size() > longest_) return {};
  const auto found = ids_.find(bytes);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TokenId> Tokenizer::join(TokenId left, TokenId right) const {
  const auto plain = [this](TokenId token) { return index(token) >= kSpecials && !is_byte(token); };
  if (!plain(left) || !plain(right)) return {};
  const std::string& head = at(left).bytes;
  const std::string& tail = at(right).bytes;
  if (head.size() + tail.size() > longest_) return {};
  return find(head + tail);
}

// The tokens before any merge: the space in front, then one token a character, or one a byte.
std::vector<TokenId> Tokenizer::characters(std::string_view text) const {
  std::vector<TokenId> tokens;
  tokens.reserve(text.size() + 1);
  const auto append = [&](std::string_view character) {
    if (const auto token = find(character)) {
      tokens.push_back(*token);
    } else {
      append_bytes(character, tokens);
    }
  };
  append(" ");
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

void Tokenizer::append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const {
  if (!has_bytes_) {
    throw InputError(
        fmt::format("the vocabulary has neither a piece for \"{}\" nor pieces for single bytes: leave it "
                    "out of the text, or use another tokenizer",
                    printable(bytes)));
  }
  for (const char byte : bytes) tokens.push_back(TokenId{kFirstByte + static_cast<unsigned char>(byte)});
}

bool Tokenizer::is_byte(TokenId token) const {
  return has_bytes_ && value(token) >= kFirstByte && value(token) < kFirstByte + static_cast<std::int32_t>(kBytes);
}

const Piece& Tokenizer::at(TokenId token) const {
  if (value(token) < 0 || index(token) >= pieces_.size()) {
    throw MisuseError(fmt::format("token {} is outside the vocabulary of {}", value(token), pieces_.size()));
  }
  return pieces_[index(token)];
}

}  // namespace kvarium::cpu
