#pragma once
// The events of speculative decoding: a part of event.h, which is what others include. A round of one request:
//
//   DraftProposed, DraftKvComputed; KvComputed of the pending token and all drafts; DraftVerified of each draft up to
//   the first that is rejected; TokenRecovered or BonusSampled; DraftPathMoved, where the accepted drafts of a tree are
//   not its first; TokenSampled of each token that the request gets; DraftKvRolledBack and RolledBack, where drafts
//   were rejected.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/work.h"

namespace kvarium {

/// How tokens are guessed ahead.
struct SpeculationDescribed {
  std::string proposer;    ///< in a few words
  std::uint32_t most = 0;  ///< drafts a round
  bool operator==(const SpeculationDescribed&) const = default;
};
/// The proposer guesses that `tokens` come next, the first of them at `position`.
struct DraftProposed {
  RequestId request{};
  std::uint32_t position = 0;
  std::vector<TokenId> tokens;
  std::vector<double> q;  ///< [tokens]: the probability with which each was drawn; 1: it was certain
  Work work;              ///< of the proposer
  /// [tokens + 1] of a tree of drafts, as CandidateTree numbers its nodes: tokens[i] is node i + 1; empty: a chain.
  std::vector<std::uint32_t> parents = {};
  bool operator==(const DraftProposed&) const = default;
};
/// The draft model's own cache holds K and V of positions [first, first + count) as well now.
struct DraftKvComputed {
  RequestId request{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const DraftKvComputed&) const = default;
};
/// The draft model's own cache keeps K and V of the first `kept_tokens` tokens only.
struct DraftKvRolledBack {
  RequestId request{};
  std::uint32_t kept_tokens = 0;
  bool operator==(const DraftKvRolledBack&) const = default;
};
/// The target judged a draft: p is its own probability, u the random number that decided. Of a tree: that drew what the
/// target says there; rejected is the first of the drafts when it says none of them.
struct DraftVerified {
  RequestId request{};
  std::uint32_t position = 0;
  TokenId token{};
  double p = 0;
  double u = 0;
  bool accepted = false;
  bool operator==(const DraftVerified&) const = default;
};
/// What takes the place of the draft that was just rejected.
struct TokenRecovered {
  RequestId request{};
  std::uint32_t position = 0;
  TokenId token{};
  /// In the distribution that it was drawn from: what the target has more of than the draft; of a tree the target's.
  double probability = 0;
  bool operator==(const TokenRecovered&) const = default;
};
/// No draft was rejected, of a tree none behind its accepted path; this comes behind them, from the same pass of the
/// target.
struct BonusSampled {
  RequestId request{};
  std::uint32_t position = 0;
  TokenId token{};
  double probability = 0;
  bool operator==(const BonusSampled&) const = default;
};

/// K and V of the accepted drafts of a tree were moved to the slots behind the newest token's, in their order.
struct DraftPathMoved {
  RequestId request{};
  std::vector<std::uint32_t> path;  ///< the nodes, from depth 1 on
  bool operator==(const DraftPathMoved&) const = default;
};

}  // namespace kvarium
