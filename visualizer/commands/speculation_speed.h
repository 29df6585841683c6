#pragma once
// How much faster guessing ahead makes an answer, by the clock: what `kvarium speculate` runs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/cancel.h"
#include "core/progress.h"
#include "core/scheduling/request.h"
#include "core/speculation/proposer.h"
#include "core/speculation/speculation_config.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium {

/// Decoding: everything behind the pass over the prompt. Sums over all texts, of each text the fastest run.
struct DecodingTime {
  double seconds = 0;
  double proposing = 0;       ///< of them, guessing: also a draft model's pass over the prompt
  std::uint64_t tokens = 0;   ///< that came out
  std::uint64_t passes = 0;   ///< of the target
  std::uint64_t drafted = 0;  ///< tokens
  std::uint64_t judged = 0;   ///< drafts up to the first that was rejected
  std::uint64_t accepted = 0;

  double seconds_a_pass() const { return (seconds - proposing) / static_cast<double>(passes); }
  double tokens_a_pass() const { return static_cast<double>(tokens) / static_cast<double>(passes); }
  /// alpha, over the drafts that were judged.
  double acceptance() const { return judged == 0 ? 0 : static_cast<double>(accepted) / static_cast<double>(judged); }
};

/// One way to guess.
struct Guessing {
  Proposer* proposer = nullptr;  ///< none: plain decoding
  DraftLengthOptions length;
};

/// [ways]: each text is answered in each way, one way after the other, `repeats` times, alone and greedily. Empty when
/// cancelled. MisuseError when an answer is not that of the first way.
std::vector<DecodingTime> measure_decoding(const ModelChoice& target, std::span<const RequestSpec> requests,
                                           std::span<const Guessing> ways, std::uint32_t repeats,
                                           const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium
