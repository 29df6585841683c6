#include "core/speculation/medusa.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace kvarium {

void MedusaProposer::expect_fits(const ModelShape& target) const {
  if (heads_.hidden_size() == target.hidden) return;
  throw InputError(fmt::format("the Medusa heads read {} numbers, the target's hidden state has {}",
                               heads_.hidden_size(), target.hidden));
}

std::vector<Draft> MedusaProposer::propose(std::span<const DraftRequest> requests) {
  std::vector<Draft> drafts(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto seen = seen_.find(requests[i].id);
    if (seen == seen_.end() || seen->second.tokens != requests[i].tokens.size()) continue;
    for (std::uint32_t head = 0; head < std::min(requests[i].most, heads_.num_heads()); ++head) {
      drafts[i].tokens.push_back(heads_.guess(head, seen->second.hidden, 1, drafts[i].work).front());
    }
  }
  return drafts;
}

void MedusaProposer::settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) {
  seen_[id] = {tokens.size(), {hidden.begin(), hidden.end()}};
}

}  // namespace kvarium
