#pragma once
// Does a speaker say again what stands in its prompt? A code that was stated some tokens ago (recall), a list of some
// items (repeat). An answer is right when the likeliest token, taken again and again, gives all its tokens in order;
// what the model would say behind them does not matter, because texts end in many ways.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cancel.h"
#include "core/ids.h"
#include "core/progress.h"
#include "cpu_reference/evaluation/confidence.h"
#include "cpu_reference/evaluation/held_out_tokens.h"

namespace kvarium::cpu {

class Speaker;

/// How many of the answer's tokens the speaker says behind the prompt, before its first other one. The prompt is heard
/// at once, the answer token by token from what was kept.
std::uint32_t recite(Speaker& speaker, std::span<const TokenId> prompt, std::span<const TokenId> answer);

/// All recitations of one group.
struct RecitedGroup {
  std::uint32_t group = 0;  ///< as Recitation::group
  std::uint64_t asked = 0;
  std::uint64_t right = 0;  ///< said to their end
  std::uint64_t answer_tokens = 0;
  std::uint64_t said_tokens = 0;   ///< of those, said before the first other one
  std::optional<double> distance;  ///< the mean of Recitation::distance where there is one

  double share() const { return static_cast<double>(right) / static_cast<double>(asked); }
  Interval interval() const { return wilson_interval(static_cast<double>(right), static_cast<double>(asked)); }
};

/// One a group, in ascending order. `on_progress` (may be empty) is told of recitations. Nothing when cancelled.
/// InputError as Speaker::hear().
std::optional<std::vector<RecitedGroup>> measure_recitation(Speaker& speaker, std::span<const Recitation> recitations,
                                                            const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
