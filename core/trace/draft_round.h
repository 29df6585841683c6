#pragma once
// What a World knows of one request's round of drafts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "core/speculation/tree.h"
#include "core/work.h"

namespace kvarium {

struct DraftTrial {
  std::uint32_t node = 0;  ///< the draft, from 1 on: tokens[node - 1]
  double p = 0;
  double u = 0;
  bool accepted = false;
  bool operator==(const DraftTrial&) const = default;
};

struct DraftRound {
  std::uint32_t first = 0;             ///< position of the first draft
  std::vector<TokenId> tokens;         ///< [k]
  std::vector<double> q;               ///< [k]
  std::vector<std::uint32_t> parents;  ///< [k + 1] of a tree; empty: a chain
  std::vector<DraftTrial> trials;      ///< of those that were judged
  std::optional<TokenId> next;         ///< the recovered or the bonus token, once there is one
  double next_probability = 0;
  bool path_moved = false;  ///< K and V of the accepted drafts of a tree were moved to the front
  /// Until the step is over: drafts that are or may be rejected count as computed for now.
  bool open = true;

  bool rejected() const { return !trials.empty() && !trials.back().accepted; }
  std::size_t accepted() const { return trials.size() - (rejected() ? 1 : 0); }
  std::uint64_t end() const { return std::uint64_t{first} + tokens.size(); }
  /// The accepted drafts.
  std::vector<std::uint32_t> path() const {
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = 0; i < accepted(); ++i) nodes.push_back(trials[i].node);
    return nodes;
  }
  /// How a draft was judged; null: it was not.
  const DraftTrial* trial_of(std::size_t draft) const {
    for (const DraftTrial& trial : trials) {
      if (trial.node == draft + 1) return &trial;
    }
    return nullptr;
  }
  /// So many positions behind the newest token the draft is meant for: the first 1.
  std::uint32_t depth(std::size_t draft) const {
    const auto node = static_cast<std::uint32_t>(draft + 1);
    return parents.empty() ? node : depth_of(parents, node);
  }
  /// Drafts that can be accepted: of a tree those of its longest path. Nodes are numbered by depth.
  std::uint32_t longest() const { return depth(tokens.size() - 1); }
  /// The parent of a draft: 0 is the newest token.
  std::uint32_t parent(std::uint32_t node) const { return parents.empty() ? node - 1 : parents[node]; }
  bool operator==(const DraftRound&) const = default;
};

/// All rounds so far.
struct SpeculationCounts {
  std::uint64_t rounds = 0;
  std::uint64_t drafted = 0;                 ///< tokens
  std::uint64_t accepted = 0;                ///< of them
  std::vector<std::uint64_t> with_accepted;  ///< [n]: rounds that accepted n drafts
  Work work;                                 ///< of the proposer

  /// The accepted drafts and the token behind them. There must be a round.
  double tokens_a_round() const { return 1 + static_cast<double>(accepted) / static_cast<double>(rounds); }
  bool operator==(const SpeculationCounts&) const = default;
};

}  // namespace kvarium
