#pragma once

#include <cstdint>

#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

/// The rotations of consecutive positions, computed once a forward pass and used by every layer and head.
struct RopeAngles {
  Matrix cosines;  ///< [tokens][head_dim / 2]
  Matrix sines;    ///< [tokens][head_dim / 2]
};

/// angle[t][i] = (first_position + t) * theta^(-2i / head_dim)   (Su et al. 2021, section 3.2.2)
/// MisuseError unless head_dim is even and above 0.
RopeAngles rope_angles(std::uint32_t first_position, std::uint32_t tokens, std::uint32_t head_dim, float theta);

/// Rotates pair i of every head of token t by angle[t][i], in place:
///   (a, b) -> (a cos - b sin, a sin + b cos)
/// A rotation by position makes q.k depend on the distance of two tokens only. K is rotated before it is cached, so a
/// cached row is good for its position and no other.
/// MisuseError when the shapes do not fit.
void rope(MatrixInOut x,             // [tokens][heads * head_dim]
          const RopeAngles& angles,  // [tokens][head_dim / 2] each
          RopePairs pairs);

}  // namespace kvarium::cpu
