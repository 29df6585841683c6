#include "core/speculation/oracle.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/error.h"

namespace kvarium {

OracleProposer::OracleProposer(std::vector<std::vector<TokenId>> texts, std::uint32_t vocab, RightDrafts right)
    : texts_(std::move(texts)), vocab_(vocab), right_(std::move(right)) {
  if (vocab < 2) throw MisuseError("an oracle cannot be wrong about a vocabulary of fewer than 2 tokens");
}

Draft OracleProposer::draft(const DraftRequest& request) const {
  Draft draft;
  const std::span<const TokenId> so_far = request.tokens;
  for (const std::vector<TokenId>& text : texts_) {
    if (text.size() <= so_far.size() || !std::equal(so_far.begin(), so_far.end(), text.begin())) continue;
    const std::span<const TokenId> rest = std::span(text).subspan(so_far.size());
    const std::uint32_t right = right_(request.most);
    for (std::size_t i = 0; i < std::min<std::size_t>(request.most, rest.size()); ++i) {
      const auto wrong = TokenId{(value(rest[i]) + 1) % static_cast<std::int32_t>(vocab_)};
      draft.tokens.push_back(i < right ? rest[i] : wrong);
    }
    return draft;
  }
  return draft;
}

std::vector<Draft> OracleProposer::propose(std::span<const DraftRequest> requests) {
  std::vector<Draft> drafts;
  for (const DraftRequest& request : requests) drafts.push_back(draft(request));
  return drafts;
}

OracleProposer::RightDrafts always_right(std::uint32_t drafts) {
  return [drafts](std::uint32_t) { return drafts; };
}

OracleProposer::RightDrafts right_with_probability(double alpha, std::uint64_t seed) {
  return [alpha, random = std::mt19937_64(seed)](std::uint32_t drafts) mutable {
    std::uint32_t right = 0;
    while (right < drafts && uniform(random) < alpha) ++right;
    return right;
  };
}

}  // namespace kvarium
