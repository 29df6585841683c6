#pragma once
// What a proposer offers for one round: tokens that may come next, cheaply guessed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/work.h"

namespace kvarium {

struct Draft {
  std::vector<TokenId> tokens;  ///< [k]: the next one, the one behind it, ...; or the candidates of a tree
  /// [k][vocab]: q, the distributions that the tokens were drawn from. Empty: nothing was drawn, each token was certain
  /// (q = 1).
  std::vector<std::vector<double>> probabilities = {};
  Work work = {};  ///< what it cost
  /// [k + 1]: of a tree, as CandidateTree numbers its nodes: tokens[i] is node i + 1, the pending token node 0. Such
  /// tokens are certain, and those of one parent all different. Empty: the tokens are a chain.
  std::vector<std::uint32_t> parents = {};

  /// How likely the proposer was to guess draft i.
  double q(std::size_t i) const { return probabilities.empty() ? 1.0 : probabilities[i][index(tokens[i])]; }
};

}  // namespace kvarium
