#pragma once
// What the target still lacks when the draft had its turn.

#include <span>
#include <vector>

namespace kvarium {

/// The probability that a token drawn from q is rejected when it is judged by p: sum of max(p - q, 0), which is half
/// the distance of the two distributions. [vocab] each.
double rejection_probability(std::span<const double> p, std::span<const double> q);

/// max(p - q, 0) divided by its sum: [vocab]. Where nothing is left (p is q, so that nothing can be rejected but by
/// rounding), p. MisuseError for other lengths, or for a q that is not in [0, 1].
std::vector<double> residual(std::span<const double> p, std::span<const double> q);

}  // namespace kvarium
