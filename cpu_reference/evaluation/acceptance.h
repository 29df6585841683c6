#pragma once
// How many of a small model's guesses a large one would have made itself: what decides whether speculative decoding is
// worth its while (Leviathan et al. 2023, section 3). Both always take the likeliest token.

#include <array>
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

inline constexpr std::uint32_t kMostGuesses = 8;  ///< of one round

/// Rounds in which the draft guesses k tokens ahead. Those that are the target's own up to the first that is not are
/// accepted; behind them the target adds one of its own, the bonus token, and the next round begins.
struct GuessRounds {
  std::uint32_t guesses = 0;  ///< k
  std::uint64_t rounds = 0;
  std::uint64_t accepted = 0;        ///< guesses, of rounds * k
  std::optional<Interval> interval;  ///< of mean(); see ratio_interval()

  /// Accepted guesses a round, from 0 to k: the target says one token more than that in one pass. 0 without a round.
  double mean() const { return rounds == 0 ? 0 : static_cast<double>(accepted) / static_cast<double>(rounds); }
};

struct Acceptance {
  std::size_t texts = 0;
  std::uint64_t guessed = 0;                     ///< one guess for each token that the target said
  std::uint64_t accepted = 0;                    ///< of those, the target's own
  Interval interval;                             ///< of the share; see share_interval()
  std::array<GuessRounds, kMostGuesses> rounds;  ///< k = 1 to kMostGuesses

  double share() const { return guessed == 0 ? 0 : static_cast<double>(accepted) / static_cast<double>(guessed); }
};

/// What the target says behind the first half of a text: as many tokens as the second half has, fewer when it comes to
/// one of `ends`. For each of them: would the draft have guessed it, given all before it?
std::vector<bool> agreements(Speaker& target, Speaker& draft, std::span<const TokenId> text,
                             std::span<const TokenId> ends);

/// Rounds of k guesses over what agreements() returned. A guess that is right leaves the draft in the same place as the
/// target's own token would, so that the guesses of a round are right as long as the agreements from its beginning on
/// are: nothing has to be drafted again. Rounds for whose k guesses too few tokens are left do not count.
TextSum accepted_in_rounds(const std::vector<bool>& agreed, std::uint32_t k);

/// `texts` of at least 2 tokens each count. The two speakers must have the same vocabulary: MisuseError where its sizes
/// differ. `on_progress` (may be empty) is told of texts. Nothing when cancelled. InputError: no text of 2 tokens; and
/// as Speaker::hear().
std::optional<Acceptance> measure_acceptance(Speaker& target, Speaker& draft,
                                             std::span<const std::vector<TokenId>> texts, std::span<const TokenId> ends,
                                             const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
