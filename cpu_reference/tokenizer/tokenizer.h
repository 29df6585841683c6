#pragma once
// Text to tokens and back: byte pair encoding as SentencePiece does it for LLaMA. Every character starts as a token of
// its own; then, again and again, the neighbouring pair whose joined piece has the best score becomes one token.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/token_text.h"

namespace kvarium::cpu {

// The first ids of every LLaMA vocabulary.
inline constexpr TokenId kUnknown{0};
inline constexpr TokenId kBeginOfSequence{1};  ///< "<s>"; adds no text
inline constexpr TokenId kEndOfSequence{2};    ///< "</s>"; adds no text
inline constexpr std::int32_t kFirstByte = 3;  ///< ids 3..258 are the bytes 0x00..0xFF where the vocabulary has them

/// One row of the vocabulary.
struct Piece {
  std::string bytes;
  float score = 0.0F;  ///< of joining two tokens into this one; the larger, the earlier
};

class Tokenizer : public TokenText {
 public:
  /// InputError when there are fewer than the three special pieces, when a piece is empty or a score is not finite.
  explicit Tokenizer(std::vector<Piece> pieces);

  std::size_t vocab() const { return pieces_.size(); }
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// "<s>", then the text as if a space stood before it (none for an empty text), so that a word has the same token
  /// at the start as in the middle. Characters without a piece, and bytes that are no valid UTF-8, become one token
  /// per byte; InputError when the vocabulary has no tokens for bytes.
  std::vector<TokenId> encode(std::string_view text) const;
  /// The bytes of the tokens: decode(encode(text)) == text for any bytes. MisuseError: a token outside the vocabulary.
  std::string decode(const std::vector<TokenId>& tokens) const;

  /// After "<s>" the space that encode() put before the text is taken off again.
  std::string piece(std::optional<TokenId> previous, TokenId token) const override;
  std::string name(TokenId token) const override;

  /// The token with exactly these bytes; none for the special tokens and the bytes: text never spells one of them.
  std::optional<TokenId> find(std::string_view bytes) const;
  /// The token whose bytes are those of `left` and then those of `right`; none when either is special or a byte.
  std::optional<TokenId> join(TokenId left, TokenId right) const;

 private:
  std::vector<TokenId> characters(std::string_view text) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const;
  bool is_byte(TokenId token) const;
  const Piece& at(TokenId token) const;

  std::vector<Piece> pieces_;
  std::size_t longest_ = 0;  ///< bytes of the longest piece
  bool has_bytes_ = false;
  std::unordered_map<std::string_view, TokenId> ids_;  ///< views into pieces_, which never changes
};

}  // namespace kvarium::cpu
