#include "core/speculation/medusa.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/speculation/tree.h"

namespace kvarium {
namespace {

/// So many guesses of a head stand in the tree.
std::uint32_t ranks_of(const CandidateTree& tree, std::uint32_t head) {
  std::uint32_t ranks = 0;
  for (std::size_t node = 1; node < tree.size(); ++node) {
    if (tree.depths[node] == head + 1) ranks = std::max(ranks, tree.ranks[node] + 1);
  }
  return ranks;
}

}  // namespace

MedusaProposer::MedusaProposer(const MedusaHeads& heads, const MedusaOptions& options) : heads_(heads) {
  if (options.ranks == 0) throw MisuseError("Medusa heads that offer no guess");
  std::vector<double> halves;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank)
    halves.push_back(std::ldexp(1.0, -1 - static_cast<int>(rank)));
  right_.assign(heads.num_heads(), halves);
}

std::string MedusaProposer::name() const {
  const std::string name = "heads on the target that guess further ahead";
  return right_.empty() || right_[0].size() == 1 ? name : name + ", several guesses each";
}

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
    drafts[i] = draft(seen->second.hidden, requests[i].most);
  }
  return drafts;
}

Draft MedusaProposer::draft(std::span<const float> hidden, std::uint32_t most) const {
  const CandidateTree tree = grow_tree(right_, most);
  Draft draft;
  std::vector<TokenId> guesses;  // of one head: nodes are numbered by depth
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    const std::uint32_t head = tree.depths[node] - 1;
    if (tree.depths[node - 1] == head) guesses = heads_.guess(head, hidden, ranks_of(tree, head), draft.work);
    draft.tokens.push_back(guesses[tree.ranks[node]]);
  }
  if (tree.paths.size() > 1) draft.parents = tree.parents;
  return draft;
}

void MedusaProposer::settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) {
  seen_[id] = {tokens.size(), {hidden.begin(), hidden.end()}};
}

}  // namespace kvarium
