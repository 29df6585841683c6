#include "cpu_reference/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::cpu {

double TextSurprise::perplexity() const { return std::exp(mean_surprise); }

double surprise(std::span<const float> logits, TokenId token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;  // of exp(logit - largest): at least 1, so its logarithm is finite
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum) - static_cast<double>(logits[index(token)]);
}

std::optional<TextSurprise> text_surprise(const Model& model, std::span<const TokenId> tokens, std::uint32_t window,
                                          const OnProgress& on_progress, const CancelToken& cancel) {
  if (model.config.shape.context < 2) {
    throw InputError(
        std::string(tr("the model has a context of 1 token: no token has another before it to be "
                       "predicted from")));
  }
  if (window < 2 || window > model.config.shape.context) {
    throw MisuseError(fmt::format("a window of {} tokens, not 2 to {}", window, model.config.shape.context));
  }
  if (tokens.size() < 2) throw InputError(std::string(tr("a text of fewer than 2 tokens has nothing to predict")));
  const Transformer transformer(model);
  const std::size_t vocab = model.config.shape.vocab;
  TextSurprise result;
  double sum = 0;
  for (std::size_t begin = 0; begin + 1 < tokens.size(); begin += window) {
    if (cancel.cancelled()) return std::nullopt;
    const auto part = tokens.subspan(begin, std::min<std::size_t>(window, tokens.size() - begin));
    Work work;
    const std::vector<float> logits = transformer.forward_uncached_all(part, work);  // [part][vocab]
    for (std::size_t t = 0; t + 1 < part.size(); ++t) {
      sum += surprise(std::span(logits).subspan(t * vocab, vocab), part[t + 1]);
      ++result.predicted;
    }
    if (on_progress) on_progress({begin + part.size(), tokens.size()});
  }
  result.mean_surprise = sum / static_cast<double>(result.predicted);
  return result;
}

}  // namespace kvarium::cpu
