#include "cpu_reference/evaluation/held_out_tokens.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {
namespace {

class Encoder {
 public:
  Encoder(const Tokenizer& tokenizer, std::uint32_t context) : tokenizer_(tokenizer), context_(context) {}

  HeldOutTokens encode(const HeldOutSet& set) {
    for (const std::string& story : set.stories) {
      std::vector<TokenId> tokens = tokenizer_.encode(story);
      if (fits(tokens.size())) tokens_.stories.push_back(std::move(tokens));
    }
    for (const RecitationText& text : set.recalls) add(text, tokens_.recalls);
    for (const RecitationText& text : set.lists) add(text, tokens_.lists);
    return std::move(tokens_);
  }

 private:
  bool fits(std::size_t tokens) {
    if (tokens > context_) {
      ++tokens_.too_long;
      return false;
    }
    tokens_.longest = std::max(tokens_.longest, static_cast<std::uint32_t>(tokens));
    return true;
  }

  void add(const RecitationText& text, std::vector<Recitation>& recitations) {
    const std::vector<TokenId> all = tokenizer_.encode(text.prompt + text.answer);
    if (!fits(all.size())) return;
    const std::vector<TokenId> prompt = tokenizer_.encode(text.prompt);
    const auto answer = std::mismatch(all.begin(), all.end(), prompt.begin(), prompt.end()).first;
    if (answer == all.begin() || answer == all.end()) {
      throw InputError(tr_format("the prompt \"{}\" and its answer are one token of this model: make the prompt longer",
                                 shown(text.prompt)));
    }
    recitations.push_back({{all.begin(), answer}, {answer, all.end()}, text.group, distance(text, prompt.size())});
  }

  std::optional<std::uint32_t> distance(const RecitationText& text, std::size_t prompt_tokens) const {
    const std::string_view prompt = text.prompt;
    const std::string_view answer =
        std::string_view(text.answer).substr(std::min(text.answer.find_first_not_of(' '), text.answer.size()));
    const std::size_t at = answer.empty() ? std::string_view::npos : prompt.rfind(answer);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t before = tokenizer_.encode(prompt.substr(0, at + answer.size())).size();
    return static_cast<std::uint32_t>(prompt_tokens - std::min(prompt_tokens, before));
  }

  const Tokenizer& tokenizer_;
  std::uint32_t context_;
  HeldOutTokens tokens_;
};

}  // namespace

HeldOutTokens encode(const HeldOutSet& set, const Tokenizer& tokenizer, std::uint32_t context) {
  return Encoder(tokenizer, context).encode(set);
}

}  // namespace kvarium::cpu
