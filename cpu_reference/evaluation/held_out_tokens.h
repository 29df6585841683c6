#pragma once
// The held-out set in the tokens of one model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/evaluation/held_out.h"

namespace kvarium::cpu {

class Tokenizer;

struct Recitation {
  std::vector<TokenId> prompt;
  std::vector<TokenId> answer;
  std::uint32_t group = 0;  ///< as RecitationText::group
  /// Tokens from behind the last place in the prompt where the answer stands to the prompt's end; nothing: it stands
  /// nowhere word for word.
  std::optional<std::uint32_t> distance;
};

struct HeldOutTokens {
  std::vector<std::vector<TokenId>> stories;
  std::vector<Recitation> recalls;
  std::vector<Recitation> lists;
  std::size_t too_long = 0;   ///< texts of all kinds that are longer than the context: left out
  std::uint32_t longest = 0;  ///< tokens of the longest text that is left, prompt and answer together

  std::size_t size() const { return stories.size() + recalls.size() + lists.size(); }
};

/// A prompt and its answer are encoded together, as a model sees them in a text. Where the tokenizer joins the prompt's
/// end with the answer's beginning, the joined token belongs to the answer. InputError when the vocabulary cannot spell
/// a text, or a prompt has no token of its own.
HeldOutTokens encode(const HeldOutSet& set, const Tokenizer& tokenizer, std::uint32_t context);

}  // namespace kvarium::cpu
