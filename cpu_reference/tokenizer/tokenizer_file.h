#pragma once
// The tokenizer file of llama2.c, little-endian: int32 length of the longest piece, then for each token, in the order
// of the ids: float score, int32 length, and that many bytes. There is no count: the file ends after the last piece.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cpu_reference/tokenizer/spm_tokenizer.h"

namespace kvarium::cpu {

/// The pieces in the bytes of such a file. InputError, with the byte at which it goes wrong, when a length is
/// negative, 0, above the one in the header or past the end, or a score is not a finite number.
std::vector<Piece> parse_tokenizer(std::string_view file);

/// The tokenizer of these pieces as llama2.c reads them: ids 0, 1 and 2 are "<unk>", "<s>" and "</s>", ids 3 to 258 the
/// bytes where the vocabulary has them, a space is a space. "<s>" also ends an answer: llama2.c's stories end with the
/// begin of the next one. InputError when there are fewer than the three special pieces, a piece is empty, or a score
/// is not finite.
std::unique_ptr<SpmTokenizer> llama2c_tokenizer(std::vector<Piece> pieces);

/// InputError, with the file's name: missing, unreadable, not such a file, or not of `vocab` pieces (nothing: any).
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path, std::optional<std::size_t> vocab);

}  // namespace kvarium::cpu
