#pragma once
// Prompt look-up (Saxena 2023; vLLM's n-gram proposer): what followed the last few tokens when they stood in the text
// before is likely to follow them again. No model is needed.

#include "core/speculation/proposer.h"

namespace kvarium {

/// Which of several equally long matches is taken.
enum class NgramMatch : std::uint8_t {
  earliest,  ///< as vLLM
  latest,
};

struct NgramOptions {
  std::uint32_t shortest = 2;  ///< tokens that must match, at least 1
  std::uint32_t longest = 4;   ///< not below the shortest
  NgramMatch match = NgramMatch::earliest;
};

/// The up to `most` tokens that followed an earlier occurrence of the text's last n tokens, for the largest n that has
/// one. The occurrence may overlap with the end.
std::vector<TokenId> ngram_draft(std::span<const TokenId> tokens, const NgramOptions& options, std::uint32_t most);

class NgramProposer final : public Proposer {
 public:
  /// InputError for lengths out of range.
  explicit NgramProposer(const NgramOptions& options = {});
  std::string name() const override { return "looking up the last tokens in the text so far"; }
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override;

 private:
  NgramOptions options_;
};

}  // namespace kvarium
