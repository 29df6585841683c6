#include "cpu_reference/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

bool everywhere(std::size_t /*begin*/, std::size_t /*end*/) { return true; }
bool nowhere(std::size_t /*begin*/, std::size_t /*end*/) { return false; }

}  // namespace

Tokenizer::Tokenizer(std::vector<Piece> pieces, SpecialTokens specials, AddedTokens added)
    : pieces_(std::move(pieces)), specials_(std::move(specials)), added_(std::move(added)) {
  const auto check = [this](TokenId token, std::string_view what) {
    if (value(token) >= 0 && index(token) < pieces_.size()) return;
    throw InputError(tr_format("the {} token {} is outside the vocabulary of {}", what, value(token), pieces_.size()));
  };
  if (specials_.begin) check(*specials_.begin, tr("begin"));
  for (const TokenId end : specials_.ends) check(end, tr("end"));
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  if (adds_begin()) tokens.push_back(*specials_.begin);
  append(text, nowhere, tokens);
  return tokens;
}

std::vector<TokenId> Tokenizer::encode_with_specials(std::string_view text) const {
  std::vector<TokenId> tokens;
  append(text, everywhere, tokens);
  return tokens;
}

std::vector<TokenId> Tokenizer::encode_with_specials(const QuotingText& prompt) const {
  const auto outside_quotes = [&](std::size_t begin, std::size_t end) {
    return std::none_of(prompt.quotes.begin(), prompt.quotes.end(),
                        [&](const auto& quote) { return begin < quote.end && end > quote.begin; });
  };
  std::vector<TokenId> tokens;
  append(prompt.text, outside_quotes, tokens);
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

std::string Tokenizer::name(TokenId token) const { return printable(at(token).bytes); }

bool Tokenizer::is_end(TokenId token) const {
  return std::find(specials_.ends.begin(), specials_.ends.end(), token) != specials_.ends.end();
}

const Piece& Tokenizer::at(TokenId token) const {
  if (value(token) < 0 || index(token) >= pieces_.size()) {
    throw MisuseError(fmt::format("token {} is outside the vocabulary of {}", value(token), pieces_.size()));
  }
  return pieces_[index(token)];
}

void Tokenizer::append(std::string_view text, const AddedTokens::MayControl& may_control,
                       std::vector<TokenId>& tokens) const {
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<AddedTokens::Match> match = added_.find(text, at, may_control);
    const std::size_t end = match ? match->at : text.size();
    if (end > at) append_text(text.substr(at, end - at), at == 0, tokens);
    at = end;
    if (match) {
      tokens.push_back(match->token);
      at += match->length;
    }
  }
}

}  // namespace kvarium::cpu
