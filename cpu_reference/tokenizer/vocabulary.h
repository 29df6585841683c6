#pragma once
// The rows of a vocabulary, and which of its tokens are more than text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ids.h"

namespace kvarium::cpu {

/// What a token is; the numbers are those of GGUF's tokenizer.ggml.token_type.
enum class TokenKind : std::uint8_t {
  normal = 1,
  unknown = 2,       ///< stands for text that the vocabulary cannot spell: "<unk>"
  control = 3,       ///< steers the model and adds no text: "<s>", "<|im_end|>"
  user_defined = 4,  ///< found in the text as a whole before anything is split or merged
  unused = 5,        ///< a reserved id that no text gives
  byte = 6,          ///< one byte of text, written "<0x0A>"
};

/// One row of the vocabulary.
struct Piece {
  std::string bytes;
  float score = 0.0F;  ///< of joining two tokens into this one; the larger, the earlier
  TokenKind kind = TokenKind::normal;
};

/// The ids that have a part in the protocol between the text and the model.
struct SpecialTokens {
  std::optional<TokenId> begin;  ///< "<s>"; nothing: the vocabulary has none
  bool add_begin = false;        ///< encode() puts `begin` before the text
  std::vector<TokenId> ends;     ///< each of them ends an answer
  std::string chat_template;     ///< how a conversation is written, in the language Jinja; empty: unknown
};

/// The ids by the pieces as the file writes them; of equal pieces the first. Views into `pieces`.
using PieceIds = std::unordered_map<std::string_view, TokenId>;
PieceIds piece_ids(const std::vector<Piece>& pieces);

/// Gives the vocabulary as many rows as the model's embedding has, the new ones unused: models are padded to round
/// numbers. InputError when it has more.
void pad_vocabulary(std::vector<Piece>& pieces, std::optional<std::size_t> rows);
/// The row of an id that a file leaves out, or that only the model has.
Piece unused_piece(std::size_t id);

/// Adds the end of a turn to `ends` by its name, "<|im_end|>" or "<|eot_id|>": files tell only the end of a text.
void add_ends_by_name(const std::vector<Piece>& pieces, std::vector<TokenId>& ends);

}  // namespace kvarium::cpu
