#pragma once
// Medusa (Cai et al. 2024): no second model, but a few heads on the target itself. Each guesses, from the hidden state
// from which the target says the next token, one of the tokens behind that.

#include <map>

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

/// A chain: the likeliest guess of each head. All heads guess at once, each without knowing what the others say.
class MedusaProposer final : public Proposer {
 public:
  /// The heads must outlive the proposer.
  explicit MedusaProposer(const MedusaHeads& heads) : heads_(heads) {}

  std::string name() const override { return "heads on the target that guess further ahead"; }
  void expect_fits(const ModelShape& target) const override;
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override;
  void settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) override;
  void forget(RequestId id) override { seen_.erase(id); }
  bool wants_hidden() const override { return true; }

 private:
  struct Seen {
    std::size_t tokens = 0;  ///< that the request had then
    std::vector<float> hidden;
  };

  const MedusaHeads& heads_;
  std::map<RequestId, Seen> seen_;
};

}  // namespace kvarium
