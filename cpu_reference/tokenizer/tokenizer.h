#pragma once
// Text to tokens and back: what every kind of tokenizer offers, and what all kinds do alike.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/token_text.h"
#include "cpu_reference/tokenizer/added_tokens.h"
#include "cpu_reference/tokenizer/vocabulary.h"

namespace kvarium::cpu {

/// A prompt in parts of which control tokens are only text: what a user wrote into a chat.
struct QuotingText {
  struct Quote {
    std::size_t begin;  ///< bytes
    std::size_t end;
  };
  std::string text;
  std::vector<Quote> quotes;
};

class Tokenizer : public TokenText {
 public:
  std::size_t vocab() const { return pieces_.size(); }
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// The text's tokens, behind the begin token where the model wants one. What looks like a control token in it is
  /// plain text. InputError when the vocabulary cannot spell the text.
  std::vector<TokenId> encode(std::string_view text) const;
  /// A prompt that names its control tokens, as a chat template writes it: "<|im_start|>" becomes that one token. No
  /// begin token is put before it.
  std::vector<TokenId> encode_with_specials(std::string_view text) const;
  std::vector<TokenId> encode_with_specials(const QuotingText& prompt) const;
  /// The bytes of the tokens; control tokens add none. MisuseError: a token outside the vocabulary.
  std::string decode(const std::vector<TokenId>& tokens) const;

  /// The piece as it is written; special tokens have one too.
  std::string name(TokenId token) const override;

  /// What stands before every text; nothing: the vocabulary has no such token.
  std::optional<TokenId> begin() const { return specials_.begin; }
  /// Whether an answer ends with this token.
  bool is_end(TokenId token) const;
  const std::vector<TokenId>& end_tokens() const { return specials_.ends; }
  /// How the model wants a conversation to be written, in the language Jinja; empty: unknown.
  const std::string& chat_template() const { return specials_.chat_template; }

 protected:
  /// InputError when a special token is outside the vocabulary.
  Tokenizer(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added);

  /// Appends the tokens of text in which no added token is left; `is_start`: it stands at the start of the whole.
  virtual void append_text(std::string_view text, bool is_start, std::vector<TokenId>& tokens) const = 0;
  /// MisuseError: outside the vocabulary.
  const Piece& at(TokenId token) const;
  bool adds_begin() const { return specials_.begin && specials_.add_begin; }

 private:
  void append(std::string_view text, const AddedTokens::MayControl& may_control, std::vector<TokenId>& tokens) const;

  std::vector<Piece> pieces_;
  SpecialTokens specials_;
  AddedTokens added_;
};

}  // namespace kvarium::cpu
