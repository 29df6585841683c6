#pragma once
// The roofline of a model on a processor in words: what `kvarium roofline` prints and the Roofline tab says.

#include <string>
#include <string_view>
#include <vector>

#include "core/cost/roofline.h"

namespace kvarium {

/// One pass or a part of it, on one processor.
struct RooflineRow {
  std::string_view pass;  ///< English: "prefill", "decode"
  std::string_view part;  ///< English: "weights", "attention", "whole"
  Part cost;
  double rate = 0;  ///< FLOP a second at best
  Bound bound = Bound::memory;
  double seconds = 0;  ///< at least
};
/// Six rows: weights, attention and whole of prefill, then of decode. Errors as prefill_cost().
std::vector<RooflineRow> roofline_rows(const RooflineSetup& setup, const HardwareProfile& hardware);

/// "memory", "arithmetic".
std::string bound_in_words(Bound bound);
/// "8.03 billion parameters"; of a mixture of experts also how many a token uses.
std::string parameters_in_words(const ModelShape& shape);
/// "989 TFLOP/s and 3.35 TB/s meet at 295 FLOP/B".
std::string roof_in_words(const HardwareProfile& hardware);
/// The lower bounds as sentences: first token, time a token, tokens a second, and whether it all fits the memory.
std::vector<std::string> roofline_sentences(const RooflineSetup& setup, const HardwareProfile& hardware);
/// Everything above as lines of at most 96 columns.
std::string roofline_report(const RooflineSetup& setup, const HardwareProfile& hardware);

}  // namespace kvarium
