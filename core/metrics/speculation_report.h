#pragma once
// Rounds of drafts, and what they were worth, in words: what the Spec tab says and copies.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/speculation_figures.h"

namespace kvarium {

/// What became of a draft, or what stands behind the accepted ones. English names it in fate_name().
enum class DraftFate : std::uint8_t {
  waiting,  ///< not judged yet
  accepted,
  rejected,
  unjudged,   ///< it followed a rejected one
  passed_by,  ///< a candidate of a tree that is not on the path which the target went
  recovered,  ///< in the place of the rejected one
  bonus,      ///< on top, behind drafts that were all accepted
};
DraftFate fate_of(const DraftRound& round, std::size_t draft);
/// Of what follows: DraftFate::recovered or bonus. MisuseError before there is such a token.
DraftFate fate_of_next(const DraftRound& round);
/// English: "accepted", "in its place".
std::string_view fate_name(DraftFate fate);

/// "step 2, request A: 2 of 5 guesses accepted, 3 tokens".
std::string round_line(const RoundRecord& record);
/// That line; one for each draft and for what follows them; one for the blocks that came and went, if any.
std::string round_text(const RoundRecord& record, const World& world);
/// The figures in sentences; `length`: drafts a round.
std::vector<std::string> figures_in_words(const SpeculationFigures& figures, std::uint32_t length, double cost);
/// All of it: the newest `most_rounds` rounds, newest first, the figures, the histogram and the speed-ups.
std::string speculation_report(const Rounds& rounds, const SpeculationFigures& figures, const World& world, double cost,
                               std::size_t most_rounds);

}  // namespace kvarium
