#pragma once
// A tokenizer without a file, for the model that is made from a seed: 512 pieces, so that pictures show words.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cpu_reference/tokenizer/spm_tokenizer.h"

namespace kvarium_test {

inline constexpr std::size_t kWordVocab = 512;

/// Special pieces, bytes, the characters of English text, and what byte pair encoding learns from tokenizer_words().
std::unique_ptr<kvarium::cpu::SpmTokenizer> word_tokenizer();

/// The words it learns from, each with the space before it, the most common first.
const std::vector<std::string>& tokenizer_words();

/// Byte pair encoding, the learning half (Sennrich et al. 2016): every word starts as single characters; the pair of
/// neighbours that occurs most often becomes a piece and is joined everywhere, `count` times or until every word is
/// one piece. A word counts more the earlier it stands. The pieces come in the order in which they were learnt.
std::vector<std::string> learn_pieces(const std::vector<std::string>& words, std::size_t count);

}  // namespace kvarium_test
