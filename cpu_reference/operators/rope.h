#pragma once

#include <cstdint>
#include <span>

#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

/// The rotations of consecutive positions, computed once a forward pass and used by every layer and head.
struct RopeAngles {
  Matrix cosines;  ///< [tokens][rotary_dim / 2]
  Matrix sines;    ///< [tokens][rotary_dim / 2]
};

/// angle[row + t][i] = (first_position + t) * frequencies[i] for `tokens` rows.
void write_angles(std::span<const double> frequencies, std::int64_t first_position, std::uint32_t tokens, Index row,
                  RopeAngles& angles);  // [at least row + tokens][frequencies]

/// angle[t][i] = (first_position + t) * theta^(-2i / rotary_dim)   (Su et al. 2021, section 3.2.2)
/// rotary_dim is head_dim in most models; models with partial rotation (GPT-NeoX, Phi) turn fewer numbers of each head.
/// A position below 0 turns back: rotating by 5 and then by -3 is rotating by 2.
/// MisuseError unless rotary_dim is even and above 0.
RopeAngles rope_angles(std::int64_t first_position, std::uint32_t tokens, std::uint32_t rotary_dim, float theta);

/// Rotates pair i of every head of token t by angle[t][i], in place:
///   (a, b) -> (a cos - b sin, a sin + b cos)
/// The pairs lie in the first rotary_dim numbers of a head; the rest of the head stays as it is.
/// A rotation by position makes q.k depend on the distance of two tokens only. K is rotated before it is cached, so a
/// cached row is good for its position and no other.
/// MisuseError when the shapes do not fit.
void rope(MatrixInOut x,  // [tokens][heads * head_dim]
          std::uint32_t head_dim,
          const RopeAngles& angles,  // [tokens][rotary_dim / 2] each, rotary_dim <= head_dim
          RopePairs pairs);

}  // namespace kvarium::cpu
