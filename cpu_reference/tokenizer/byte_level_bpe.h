#pragma once
// Byte pair encoding over bytes (Radford et al. 2019, GPT-2): the text is cut into words, each byte of a word starts as
// a token of its own, and the listed pairs are joined, the first listed first. Nothing is ever unknown.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu_reference/tokenizer/merge_ranks.h"
#include "cpu_reference/tokenizer/pre_tokenizer.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

struct ByteLevelRules {
  std::vector<SplitRule> splits;
  MergeRanks merges;
  bool whole_words = false;   ///< a word that is a piece is taken at once, whatever the merges give ("ignore_merges")
  bool composes = false;      ///< the text is brought to normalization form C first
  bool space_before = false;  ///< a space is put before text that does not begin with one ("add_prefix_space")
};

class ByteLevelBpe : public Tokenizer {
 public:
  /// The normal pieces as the files write them, in byte symbols (byte_symbols.h). A piece that has other characters
  /// keeps them, but no text becomes it; of equal pieces text becomes the first.
  ByteLevelBpe(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added, ByteLevelRules rules);

  /// Control and unused tokens add no text. decode(encode(text)) == text for any bytes, valid UTF-8 or not, but for
  /// what `composes` and `space_before` change, when the vocabulary has a piece for each byte. Hugging Face's package
  /// takes no bytes but text: what is no valid UTF-8 is U+FFFD before it sees it, and comes back as that.
  std::string piece(std::optional<TokenId> previous, TokenId token) const override;

 protected:
  /// InputError when the vocabulary lacks one of the bytes.
  void append_text(std::string_view text, bool is_start, std::vector<TokenId>& tokens) const override;

 private:
  void append_word(std::string_view word, std::vector<TokenId>& tokens) const;

  ByteLevelRules rules_;
  std::array<std::optional<TokenId>, 256> bytes_;
  std::unordered_map<std::string_view, TokenId> words_;  ///< the normal pieces, views into pieces(); only `whole_words`
};

}  // namespace kvarium::cpu
