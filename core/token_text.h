#pragma once
// What the engine must know of a tokenizer, and no more.

#include <optional>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace kvarium {

class TokenText {
 public:
  TokenText() = default;
  TokenText(const TokenText&) = delete;
  TokenText& operator=(const TokenText&) = delete;
  virtual ~TokenText() = default;

  /// The bytes that `token` adds to the text when it follows `previous` (nothing: it is the first). Bytes, because one
  /// character may be spread over several tokens.
  virtual std::string piece(std::optional<TokenId> previous, TokenId token) const = 0;
  /// What a picture calls the token: valid UTF-8, and not empty for tokens that add no text ("<s>").
  virtual std::string name(TokenId token) const;
};

/// Bytes as text for a picture or a trace: valid UTF-8 is kept, control characters and other bytes become <0xE2>.
std::string printable(std::string_view bytes);

}  // namespace kvarium
