#pragma once
// What `kvarium eval` found, as a table for people and as JSON for programs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cpu_reference/evaluation/acceptance.h"
#include "cpu_reference/evaluation/recitation.h"
#include "cpu_reference/evaluation/surprise.h"

namespace kvarium {

/// A kind of which the set has no text has no figures.
struct EvalReport {
  std::string model;
  std::string draft;  ///< empty: none
  std::string set;    ///< the file
  std::string cache;
  std::size_t texts = 0;
  std::size_t too_long = 0;            ///< texts left out
  std::uint32_t context = 0;           ///< of the model, in tokens
  std::size_t too_long_for_draft = 0;  ///< stories that only the draft left out
  std::optional<cpu::MeasuredSurprise> surprise;
  std::vector<cpu::RecitedGroup> recall;
  std::vector<cpu::RecitedGroup> lists;
  std::optional<cpu::Acceptance> acceptance;
  double seconds = 0;
};

/// Lines of text, each with its end.
std::string table(const EvalReport& report);
/// One JSON object and the end of its last line. Shares are from 0 to 1; an interval is [low, high], null where there
/// is none.
std::string json(const EvalReport& report);

}  // namespace kvarium
