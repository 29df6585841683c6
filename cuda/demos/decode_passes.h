#pragma once
// The eleven keys of scenario S11, pass by pass: the registers of the online softmax after each.

#include <cstdint>
#include <vector>

#include "cuda/demos/demo.h"

namespace kvarium::cuda::demos {

struct DecodePass {
  std::size_t steps = 0;           ///< of the size stop, from the start to the end of the pass
  std::uint32_t lanes = 0;         ///< that have a key, as a mask
  std::vector<std::size_t> slots;  ///< of these lanes
  std::vector<double> scores;
  double alpha = 0;  ///< what l and acc of before were multiplied by
  double m = 0, l = 0, acc = 0;
};

struct DecodeWalk {
  std::vector<DecodePass> passes;
  std::size_t steps = 0;  ///< to the end
  double out = 0;
};

/// The place of the eleven keys with a warp of so many lanes: 4, 8 or 32. InputError for another number.
DemoPlace eleven_keys_place(unsigned lanes);
/// Steps through it, to the end.
DecodeWalk walk_eleven_keys(unsigned lanes);

}  // namespace kvarium::cuda::demos
