#pragma once
// Eleven keys whose scores are known, in a paged cache: scenario S11.

#include <vector>

namespace kvarium::cuda::demos {

// Scores 1 3 2 0 | 5 4 1 2 | 0 6 3 in blocks of 4, with the block table 7 3 12; the values are 1 to 11.
inline constexpr unsigned kElevenBlockSize = 4, kElevenBlocks = 16;
const std::vector<float>& eleven_scores();
const std::vector<unsigned>& eleven_table();

}  // namespace kvarium::cuda::demos
