#pragma once
// Byte pair encoding as SentencePiece does it for LLaMA. Every character starts as a token of its own; then, again and
// again, the neighbouring pair whose joined piece has the best score becomes one token. In one thing SentencePiece
// differs: it writes a character that has no piece as bytes after the merges, here they come before, as in Hugging
// Face's package. With a piece "ab" but none for "a" it gives "ab", here "a" stays bytes. The vocabularies that it
// learns have a piece for each character of their longer pieces, so that both give the same.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu_reference/tokenizer/bpe_merge.h"
#include "cpu_reference/tokenizer/merge_ranks.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

/// U+2581: how SentencePiece's vocabularies write a space.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// Where a space is put before text, so that a word has the same token at the start as in the middle.
enum class SpacePrefix {
  nowhere,
  start,       ///< of the whole text
  every_part,  ///< also behind each added token
};

struct SpmRules {
  std::string space{kSpaceMark};  ///< what the pieces write for a space
  SpacePrefix prefix = SpacePrefix::every_part;
  bool prefix_before_space = true;  ///< false: text that begins with a space gets no second one
  bool within_words = false;        ///< no merge joins two words: each begins with its space
  /// By rank, and none with a control, unknown, unused or byte token, as merge_ranks() makes them; nothing: any two
  /// whose joined piece exists, by its score.
  std::optional<MergeRanks> merges;
};

class SpmTokenizer : public Tokenizer {
 public:
  /// InputError when a score is not finite, or a piece of the kind byte is not written as "<0x0A>".
  SpmTokenizer(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added, SpmRules rules);

  /// The space that encode() put before the text is taken off again. decode(encode(text)) == text for any bytes when
  /// the vocabulary has all byte tokens, but for U+2581, which reads as a space where it stands for one in the pieces,
  /// and for the first space where `prefix_before_space` is false.
  std::string piece(std::optional<TokenId> previous, TokenId token) const override;
  std::string name(TokenId token) const override;

  /// The normal token with exactly these bytes: text never spells a control token or a byte token.
  std::optional<TokenId> find(std::string_view bytes) const;
  /// What two tokens become: what the merges say, or where there are none, the joined piece when all three are normal.
  std::optional<Join> join(TokenId left, TokenId right) const;

 protected:
  /// Characters without a piece, and bytes that are no valid UTF-8, become one token per byte; InputError when the
  /// vocabulary has no tokens for bytes.
  void append_text(std::string_view text, bool is_start, std::vector<TokenId>& tokens) const override;

 private:
  std::vector<TokenId> characters(std::string_view text, bool with_prefix) const;
  void append_merged(const std::vector<TokenId>& characters, std::vector<TokenId>& tokens) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& tokens) const;
  bool starts_text(std::optional<TokenId> previous) const;
  std::string text_of(const Piece& piece) const;

  SpmRules rules_;
  std::size_t longest_ = 0;                            ///< bytes of the longest piece
  std::array<std::optional<TokenId>, 256> bytes_;      ///< the token of each byte, where there is one
  std::unordered_map<std::string_view, TokenId> ids_;  ///< views into pieces(), which never changes
};

}  // namespace kvarium::cpu
