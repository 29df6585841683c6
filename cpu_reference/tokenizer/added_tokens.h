#pragma once
// Tokens that are found in the text as they are written, before it is split and merged: "<|im_start|>".

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "cpu_reference/tokenizer/vocabulary.h"

namespace kvarium::cpu {

struct AddedToken {
  std::string text;
  TokenId id{};
  bool control = true;            ///< found only where the caller allows control tokens
  bool takes_space_left = false;  ///< white space before it belongs to it ("lstrip" in a tokenizer.json)
  bool takes_space_right = false;
};

class AddedTokens {
 public:
  struct Match {
    std::size_t at = 0;
    std::size_t length = 0;
    TokenId token{};
  };

  AddedTokens() = default;
  /// Tokens without text are never found.
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// Whether what stands at text[begin, end) may be a control token.
  using MayControl = std::function<bool(std::size_t begin, std::size_t end)>;

  /// The first match that starts at text[from] or behind it, of several the longest.
  std::optional<Match> find(std::string_view text, std::size_t from, const MayControl& may_control) const;

 private:
  const AddedToken* longest_at(std::string_view text, std::size_t at, const MayControl& may_control) const;

  std::vector<AddedToken> tokens_;
  std::array<std::vector<std::size_t>, 256> by_first_byte_;  ///< rows of tokens_, the longest first
};

/// The control, unknown and user-defined pieces of a vocabulary.
std::vector<AddedToken> added_tokens_of(const std::vector<Piece>& pieces);

}  // namespace kvarium::cpu
