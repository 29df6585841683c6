#include "cpu_reference/evaluation/surprise.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/evaluation/speaker.h"
#include "cpu_reference/perplexity.h"

namespace kvarium::cpu {
namespace {

/// Tokens heard at once: of a vocabulary of 128 Ki tokens their logits take 128 MiB.
constexpr std::size_t kAtOnce = 256;

/// The surprises of a text's tokens but the first; nothing when cancelled.
std::optional<TextSum> surprise_of(Speaker& speaker, std::span<const TokenId> text, const CancelToken& cancel) {
  const std::size_t vocab = speaker.shape().vocab;
  TextSum result;
  speaker.begin();
  for (std::size_t first = 0; first + 1 < text.size(); first += kAtOnce) {
    if (cancel.cancelled()) return std::nullopt;
    const std::size_t count = std::min(kAtOnce, text.size() - 1 - first);  // the last token foretells nothing
    const std::span<const float> logits = speaker.hear(text.subspan(first, count), static_cast<std::uint32_t>(count));
    for (std::size_t t = 0; t < count; ++t) {
      result.sum += surprise(logits.subspan(t * vocab, vocab), text[first + t + 1]);
      ++result.count;
    }
  }
  return result;
}

}  // namespace

double MeasuredSurprise::perplexity() const { return std::exp(mean); }

std::optional<Interval> MeasuredSurprise::perplexity_interval() const {
  if (!interval) return std::nullopt;
  return Interval{std::exp(interval->low), std::exp(interval->high)};
}

std::optional<MeasuredSurprise> measure_surprise(Speaker& speaker, std::span<const std::vector<TokenId>> texts,
                                                 const OnProgress& on_progress, const CancelToken& cancel) {
  Progress progress;
  for (const auto& text : texts) progress.total += text.size();
  std::vector<TextSum> sums;
  for (const auto& text : texts) {
    const std::optional<TextSum> sum = surprise_of(speaker, text, cancel);
    if (!sum) return std::nullopt;
    sums.push_back(*sum);
    progress.done += text.size();
    if (on_progress) on_progress(progress);
  }
  MeasuredSurprise result{texts.size(), 0, ratio(sums), ratio_interval(sums)};
  result.predicted = static_cast<std::uint64_t>(total(sums, &TextSum::count));
  if (result.predicted == 0) throw InputError(std::string(tr("no text has 2 tokens: there is nothing to predict")));
  return result;
}

}  // namespace kvarium::cpu
