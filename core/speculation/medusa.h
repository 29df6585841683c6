#pragma once
// Medusa (Cai et al. 2024): no second model, but a few heads on the target itself. Each guesses, from the hidden state
// from which the target says the next token, one of the tokens behind that.

#include <map>
#include <vector>

#include "core/speculation/proposer.h"

namespace kvarium {

class MedusaHeads {
 public:
  MedusaHeads() = default;
  MedusaHeads(const MedusaHeads&) = delete;
  MedusaHeads& operator=(const MedusaHeads&) = delete;
  virtual ~MedusaHeads() = default;

  virtual std::uint32_t num_heads() const = 0;
  virtual std::uint32_t hidden_size() const = 0;
  /// The head's `ranks` likeliest tokens, the likeliest first; adds to `work` what they cost. Head 0 guesses the token
  /// behind the one that the target says from `hidden`, [hidden_size]. MisuseError for a head that there is not, or for
  /// more ranks than tokens.
  virtual std::vector<TokenId> guess(std::uint32_t head, std::span<const float> hidden, std::uint32_t ranks,
                                     Work& work) const = 0;
};

/// Which guesses of the heads are drafts.
struct MedusaOptions {
  /// Of each head the likeliest so many, as a tree: the one that grow_tree() finds when a guess is right half as often
  /// as the one that is a rank likelier. 1: a chain, the likeliest guess of each head.
  std::uint32_t ranks = 1;
};

/// All heads guess at once, each without knowing what the others say.
class MedusaProposer final : public Proposer {
 public:
  /// The heads must outlive the proposer. MisuseError for 0 ranks.
  explicit MedusaProposer(const MedusaHeads& heads, const MedusaOptions& options = {});

  std::string name() const override;
  void expect_fits(const ModelShape& target) const override;
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override;
  void settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) override;
  void forget(RequestId id) override { seen_.erase(id); }
  bool wants_hidden() const override { return true; }

 private:
  Draft draft(std::span<const float> hidden, std::uint32_t most) const;

  struct Seen {
    std::size_t tokens = 0;  ///< that the request had then
    std::vector<float> hidden;
  };

  const MedusaHeads& heads_;
  std::vector<std::vector<double>> right_;  ///< [heads][ranks]: how often a guess is taken to be right
  std::map<RequestId, Seen> seen_;
};

}  // namespace kvarium
