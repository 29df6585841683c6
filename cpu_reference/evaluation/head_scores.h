#pragma once
// What the attention heads of a model do, found by measuring instead of by looking: three patterns that trained models
// have in common, each as the share of a head's attention that goes where the pattern says.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cancel.h"
#include "core/ids.h"
#include "core/progress.h"

namespace kvarium::cpu {

struct Model;

/// Mean shares of attention, each from 0 to 1.
struct HeadScore {
  std::uint32_t layer = 0;
  std::uint32_t head = 0;  ///< query head
  /// On the token just before, over all tokens of a text but the first.
  double previous = 0;
  /// On the first token of the text, over all tokens from the kSinkFrom-th on: an attention sink (Xiao et al. 2023).
  double sink = 0;
  /// In a random sequence that is written twice: from each token of the second half on the token that followed the same
  /// token in the first half (Olsson et al. 2022). A head that does so copies what came next the last time.
  double induction = 0;
};

inline constexpr std::uint32_t kSinkFrom = 8;

/// One score a query head, layer by layer: the mean over the texts. Each text begins with the model's begin token, if
/// it has one. With each goes a random sequence of `repeated` tokens, drawn by `seed` from the different tokens of
/// all texts.
/// Nothing when cancelled. InputError for no text, fewer different tokens, a text with fewer than kSinkFrom + 1 tokens,
/// or when a text or the sequence written twice is longer than the model's context.
std::optional<std::vector<HeadScore>> head_scores(const Model& model, std::span<const std::vector<TokenId>> texts,
                                                  std::uint32_t repeated, std::uint64_t seed,
                                                  const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
