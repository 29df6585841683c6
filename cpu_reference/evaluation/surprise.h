#pragma once
// How well a speaker foresees texts: perplexity, with how sure it is.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cancel.h"
#include "core/ids.h"
#include "core/progress.h"
#include "cpu_reference/evaluation/confidence.h"

namespace kvarium::cpu {

class Speaker;

/// Of all texts together: each token counts the same, whatever text it is in.
struct MeasuredSurprise {
  std::size_t texts = 0;
  std::uint64_t predicted = 0;       ///< tokens: all but the first of each text
  double mean = 0;                   ///< nats a token
  std::optional<Interval> interval;  ///< of the mean; see ratio_interval()

  double perplexity() const;                            ///< exp(mean)
  std::optional<Interval> perplexity_interval() const;  ///< exp of the interval's ends
};

/// Each text is heard on its own, from its first token on, some hundred tokens at a time. `on_progress` (may be empty)
/// is told of tokens. Nothing when cancelled. InputError: no text has 2 tokens; and as Speaker::hear().
std::optional<MeasuredSurprise> measure_surprise(Speaker& speaker, std::span<const std::vector<TokenId>> texts,
                                                 const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
