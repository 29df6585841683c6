#pragma once
// How well a model foresees a text: the measure by which two programs, or two weight types, are compared.

#include <cstdint>
#include <optional>
#include <span>

#include "core/cancel.h"
#include "core/ids.h"
#include "core/progress.h"

namespace kvarium::cpu {

struct Model;

/// Each token has a probability, given those before it: `mean_surprise` is the mean of -ln(probability).
struct TextSurprise {
  std::uint64_t predicted = 0;  ///< tokens that had another before them
  double mean_surprise = 0;

  /// exp(mean_surprise): among how many equally likely tokens the model hesitates, on average. A model that knows
  /// nothing has the size of its vocabulary, one that knows the text by heart has 1.
  double perplexity() const;
};

/// The text is cut into windows of `window` tokens; in each the first token is given and the others are predicted.
/// `on_progress` (may be empty) is told of tokens. Nothing when cancelled. MisuseError: a token outside the vocabulary;
/// a window below 2 or above the model's context. InputError: fewer than 2 tokens, a model with a context of 1, or a
/// logit that is not finite.
std::optional<TextSurprise> text_surprise(const Model& model, std::span<const TokenId> tokens, std::uint32_t window,
                                          const OnProgress& on_progress, const CancelToken& cancel);

/// -ln(softmax(logits)[token]), in double precision.
double surprise(std::span<const float> logits, TokenId token);

}  // namespace kvarium::cpu
