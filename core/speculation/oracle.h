#pragma once
// A proposer that knows the answers, and is as often wrong as it is told to be: for tests, and to show what any
// acceptance is worth.

#include <functional>

#include "core/speculation/proposer.h"

namespace kvarium {

class OracleProposer final : public Proposer {
 public:
  /// How many of so many drafts are right; those behind them are wrong.
  using RightDrafts = std::function<std::uint32_t(std::uint32_t drafts)>;

  /// `texts`: prompts with their whole answers, as the target says them. `vocab`: at least 2.
  OracleProposer(std::vector<std::vector<TokenId>> texts, std::uint32_t vocab, RightDrafts right);

  std::string name() const override { return "an oracle that knows the answer"; }
  /// Nothing for a text that it does not know, or where only its end is left.
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override;

 private:
  Draft draft(const DraftRequest& request) const;

  std::vector<std::vector<TokenId>> texts_;
  std::uint32_t vocab_;
  RightDrafts right_;
};

/// Always the same number.
OracleProposer::RightDrafts always_right(std::uint32_t drafts);
/// Each draft is right with this probability, up to the first that is not.
OracleProposer::RightDrafts right_with_probability(double alpha, std::uint64_t seed);

}  // namespace kvarium
