#include "core/scheduling/cache_aware_order.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include "core/prefix/radix_cache.h"

namespace kvarium {
namespace {

constexpr std::size_t kMostCompared = 128;   ///< waiting requests
constexpr std::uint32_t kHardlyCached = 32;  ///< tokens
constexpr std::uint32_t kSharesEnough = 32;  ///< tokens

/// [waiting]: does another that waits before it have the same beginning, so that it should come first?
std::vector<bool> follows_another(const std::vector<WaitingPrefix>& waiting) {
  RadixCache seen(1);
  std::vector<bool> follows(waiting.size(), false);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].hit.num_tokens > kHardlyCached) continue;
    const std::span<const TokenId> tokens = waiting[i].tokens;
    follows[i] = seen.peek(tokens).size() >= kSharesEnough;
    if (!follows[i]) seen.insert(tokens, std::vector<BlockId>(tokens.size()));
  }
  return follows;
}

/// A trie of the blocks of all hits, one node a block. Not recursive: a long prompt is a deep branch.
class Trie {
 public:
  void add(std::size_t request, const std::vector<BlockId>& blocks) {
    std::size_t at = 0;
    for (const BlockId block : blocks) {
      const auto [child, is_new] = branches_[at].children.try_emplace(block, branches_.size());
      at = child->second;
      if (is_new) branches_.emplace_back();
      ++branches_[at].weight;
    }
    branches_[at].ends_here.push_back(request);
  }

  /// Each branch after those below it, the heaviest of these first: the reverse of a walk that meets a branch before
  /// those below it, and the heaviest last.
  std::vector<std::size_t> depth_first() const {
    std::vector<std::size_t> order, to_visit{0};
    while (!to_visit.empty()) {
      const Branch& branch = branches_[to_visit.back()];
      to_visit.pop_back();
      order.insert(order.end(), branch.ends_here.rbegin(), branch.ends_here.rend());
      std::vector<std::size_t> children;
      for (const auto& [block, child] : branch.children) children.push_back(child);
      std::stable_sort(children.begin(), children.end(),
                       [this](std::size_t a, std::size_t b) { return branches_[a].weight > branches_[b].weight; });
      to_visit.insert(to_visit.end(), children.begin(), children.end());
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  struct Branch {
    std::size_t weight = 0;              ///< requests here and below
    std::vector<std::size_t> ends_here;  ///< requests
    std::map<BlockId, std::size_t> children;
  };
  std::deque<Branch> branches_ = std::deque<Branch>(1);
};

std::vector<const LiveRequest*> in_order(const std::vector<const LiveRequest*>& waiting,
                                         std::vector<std::size_t> (*order)(const std::vector<WaitingPrefix>&)) {
  std::vector<WaitingPrefix> prefixes;
  prefixes.reserve(waiting.size());
  for (const LiveRequest* request : waiting) prefixes.push_back({request->request().tokens, request->look_up()});
  std::vector<const LiveRequest*> ordered;
  ordered.reserve(waiting.size());
  for (const std::size_t place : order(prefixes)) ordered.push_back(waiting[place]);
  return ordered;
}

}  // namespace

std::vector<std::size_t> longest_prefix_order(const std::vector<WaitingPrefix>& waiting) {
  std::vector<std::size_t> order(waiting.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (waiting.size() > kMostCompared) return order;
  const std::vector<bool> follows = follows_another(waiting);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (follows[a] != follows[b]) return bool{follows[b]};
    return waiting[a].hit.num_tokens > waiting[b].hit.num_tokens;
  });
  return order;
}

std::vector<std::size_t> depth_first_order(const std::vector<WaitingPrefix>& waiting) {
  Trie trie;
  for (std::size_t i = 0; i < waiting.size(); ++i) trie.add(i, waiting[i].hit.blocks);
  return trie.depth_first();
}

std::vector<const LiveRequest*> longest_prefix_first(const std::vector<const LiveRequest*>& waiting) {
  if (waiting.size() > kMostCompared) return waiting;  // looking them all up would be the most expensive part
  return in_order(waiting, longest_prefix_order);
}

std::vector<const LiveRequest*> depth_first(const std::vector<const LiveRequest*>& waiting) {
  return in_order(waiting, depth_first_order);
}

}  // namespace kvarium
