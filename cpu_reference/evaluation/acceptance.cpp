#include "cpu_reference/evaluation/acceptance.h"

#include <algorithm>

#include "core/error.h"
#include "core/sampling/sampling.h"
#include "core/words/words.h"
#include "cpu_reference/evaluation/speaker.h"

namespace kvarium::cpu {
namespace {

/// At most `count` tokens, up to one of `ends`, which is said too.
std::vector<TokenId> say(Speaker& speaker, std::span<const TokenId> prompt, std::size_t count,
                         std::span<const TokenId> ends) {
  std::vector<TokenId> said;
  speaker.begin();
  std::span<const float> logits = speaker.hear(prompt);
  while (true) {
    said.push_back(argmax(logits));
    const bool ended = std::find(ends.begin(), ends.end(), said.back()) != ends.end();
    if (ended || said.size() == count) return said;
    logits = speaker.hear(std::span(said).last(1));
  }
}

}  // namespace

std::vector<bool> agreements(Speaker& target, Speaker& draft, std::span<const TokenId> text,
                             std::span<const TokenId> ends) {
  if (text.size() < 2) return {};
  const std::size_t half = (text.size() + 1) / 2;
  const std::vector<TokenId> said = say(target, text.first(half), text.size() - half, ends);
  std::vector<TokenId> heard(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(half));
  heard.insert(heard.end(), said.begin(), said.end() - 1);
  draft.begin();
  const std::span<const float> logits = draft.hear(heard, static_cast<std::uint32_t>(said.size()));
  const std::size_t vocab = draft.shape().vocab;
  std::vector<bool> agreed;
  for (std::size_t t = 0; t < said.size(); ++t) agreed.push_back(argmax(logits.subspan(t * vocab, vocab)) == said[t]);
  return agreed;
}

TextSum accepted_in_rounds(const std::vector<bool>& agreed, std::uint32_t k) {
  TextSum result;
  for (std::size_t begin = 0; begin + k <= agreed.size();) {
    std::size_t accepted = 0;
    while (accepted < k && agreed[begin + accepted]) ++accepted;
    result.sum += static_cast<double>(accepted);
    ++result.count;
    begin += accepted + 1;  // behind the bonus token
  }
  return result;
}

std::optional<Acceptance> measure_acceptance(Speaker& target, Speaker& draft,
                                             std::span<const std::vector<TokenId>> texts, std::span<const TokenId> ends,
                                             const OnProgress& on_progress, const CancelToken& cancel) {
  if (target.shape().vocab != draft.shape().vocab) throw MisuseError("target and draft have different vocabularies");
  std::vector<TextSum> single;                               // [texts]
  std::array<std::vector<TextSum>, kMostGuesses> in_rounds;  // [k - 1][texts]
  Progress progress{0, texts.size()};
  for (const auto& text : texts) {
    if (cancel.cancelled()) return std::nullopt;
    const std::vector<bool> agreed = agreements(target, draft, text, ends);
    const auto right = static_cast<double>(std::count(agreed.begin(), agreed.end(), true));
    single.push_back({right, static_cast<double>(agreed.size())});
    for (std::uint32_t k = 1; k <= kMostGuesses; ++k) in_rounds[k - 1].push_back(accepted_in_rounds(agreed, k));
    ++progress.done;
    if (on_progress) on_progress(progress);
  }
  Acceptance result;
  result.texts = texts.size();
  result.interval = share_interval(single);
  result.guessed = static_cast<std::uint64_t>(total(single, &TextSum::count));
  result.accepted = static_cast<std::uint64_t>(total(single, &TextSum::sum));
  if (result.guessed == 0) throw InputError(std::string(tr("no text has 2 tokens: there is nothing to go on from")));
  for (std::uint32_t k = 1; k <= kMostGuesses; ++k) {
    GuessRounds& rounds = result.rounds[k - 1];
    rounds.guesses = k;
    rounds.interval = ratio_interval(in_rounds[k - 1]);
    rounds.rounds = static_cast<std::uint64_t>(total(in_rounds[k - 1], &TextSum::count));
    rounds.accepted = static_cast<std::uint64_t>(total(in_rounds[k - 1], &TextSum::sum));
  }
  return result;
}

}  // namespace kvarium::cpu
