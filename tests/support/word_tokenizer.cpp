#include "tests/support/word_tokenizer.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "cpu_reference/tokenizer/tokenizer_file.h"

namespace kvarium_test {

using namespace kvarium::cpu;
namespace {

using Symbols = std::vector<std::string>;
using SymbolPair = std::pair<std::string, std::string>;

constexpr std::string_view kWords =
    "the a to and of in is it was that he she they I you on with for this Once upon time there little were are had "
    "named very One day his her at as be by said up we not then from have but The She He They It so all one play "
    "out saw what can who will how an do their into see like some my old big new red once happy girl boy dog cat "
    "park ball want loved would could your no me if them now did may us mom am or here over told men";

constexpr std::string_view kCharacters =
    " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'\"-:;()\n";

void join_everywhere(Symbols& word, const SymbolPair& pair) {
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] != pair.first || word[i + 1] != pair.second) continue;
    word[i] += word[i + 1];
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

// The pair with the largest weight; of equals the first in alphabetical order, so that every machine learns the same.
SymbolPair most_frequent(const std::vector<Symbols>& words) {
  std::map<SymbolPair, std::size_t> weights;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::size_t i = 0; i + 1 < words[w].size(); ++i) weights[{words[w][i], words[w][i + 1]}] += words.size() - w;
  }
  SymbolPair best;
  std::size_t best_weight = 0;
  for (const auto& [pair, weight] : weights) {
    if (weight <= best_weight) continue;
    best = pair;
    best_weight = weight;
  }
  return best;
}

}  // namespace

const std::vector<std::string>& tokenizer_words() {
  static const std::vector<std::string> kSpacedWords = [] {
    std::istringstream list{std::string(kWords)};
    std::vector<std::string> spaced;
    for (std::string word; list >> word;) spaced.push_back(" " + word);
    return spaced;
  }();
  return kSpacedWords;
}

std::vector<std::string> learn_pieces(const std::vector<std::string>& words, std::size_t count) {
  std::vector<Symbols> split;
  for (const std::string& word : words) {
    split.emplace_back();
    for (const char character : word) split.back().emplace_back(1, character);
  }
  std::vector<std::string> pieces;
  while (pieces.size() < count) {
    const SymbolPair pair = most_frequent(split);
    if (pair.first.empty()) break;
    pieces.push_back(pair.first + pair.second);
    for (Symbols& word : split) join_everywhere(word, pair);
  }
  return pieces;
}

std::unique_ptr<SpmTokenizer> word_tokenizer() {
  std::vector<Piece> pieces{{"<unk>", 0.0F}, {"<s>", 0.0F}, {"</s>", 0.0F}};
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({fmt::format("<0x{:02X}>", byte), 0.0F});
  for (const char character : kCharacters) pieces.push_back({std::string(1, character), 0.0F});
  // What was learnt first is joined first: the score falls with the rank.
  float score = 0.0F;
  for (std::string& learnt : learn_pieces(tokenizer_words(), kWordVocab - pieces.size())) {
    pieces.push_back({std::move(learnt), score});
    score -= 1.0F;
  }
  return llama2c_tokenizer(std::move(pieces));
}

}  // namespace kvarium_test
