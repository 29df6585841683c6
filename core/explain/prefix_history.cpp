#include "core/explain/prefix_history.h"

#include <algorithm>
#include <utility>

#include "core/prefix/extra_keys.h"
#include "core/trace/describe.h"

namespace kvarium {
namespace {

std::uint32_t equal_tokens(std::span<const TokenId> a, std::span<const TokenId> b) {
  const auto most = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::uint32_t>(std::mismatch(a.begin(), a.begin() + most, b.begin()).first - a.begin());
}

/// From below the root down to the node.
std::vector<NodeId> path_to(const World& world, NodeId node) {
  std::vector<NodeId> path;
  while (node != NodeId{0} && world.radix[index(node)]->exists && path.size() <= world.radix.size()) {
    path.push_back(node);
    node = world.radix[index(node)]->parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

PrefixHistory::PrefixHistory(const Trace& trace, std::span<const TokenId> tokens, std::string scope,
                             std::uint32_t block_size)
    : trace_(trace), tokens_(tokens), scope_(std::move(scope)), block_size_(block_size) {
  const std::size_t full = tokens.size() / block_size;
  own_.resize(full);
  elsewhere_.resize(full);
  losses_.resize(full);
}

void PrefixHistory::follow(std::size_t end) {
  while (world_.events < std::min(end, trace_.size())) {
    const std::size_t event = world_.events;
    watch(event);
    fold(world_, trace_[event]);
  }
  if (world_.radix.empty()) return;
  match_tree(true);
  match_tree(false);
}

std::uint32_t PrefixHistory::common_beginning(RequestId other) const {
  const auto [at, is_new] = beginnings_.try_emplace(value(other), 0);
  // A request's tokens only grow, so those at the end of the trace say it for every moment.
  if (is_new) at->second = equal_tokens(tokens_, trace_.newest().request(other).tokens);
  return at->second;
}

/// A radix tree has a branch for each whole scope; a block's hash knows only of the media up to the block's end.
bool PrefixHistory::same_scope(const std::string& other, std::uint32_t end) const {
  if (other == scope_) return true;
  return trace_.newest().radix.empty() && tagged_until(other, end) == tagged_until(scope_, end);
}

bool PrefixHistory::shares(RequestId other, std::uint32_t end) const {
  return common_beginning(other) >= end && same_scope(trace_.newest().request(other).scope, end);
}

std::uint32_t PrefixHistory::computed(RequestId other) const {
  return index(other) < computed_.size() ? computed_[index(other)] : 0;
}

std::optional<BlockId> PrefixHistory::find(std::size_t i, bool own) const {
  const std::vector<BlockId>& where = (own ? own_ : elsewhere_)[i];
  if (where.empty()) return std::nullopt;
  return where.front();
}

bool PrefixHistory::holds(std::size_t i, BlockId block) const {
  return std::find(own_[i].begin(), own_[i].end(), block) != own_[i].end();
}

// --- event by event, before it is folded

void PrefixHistory::watch(std::size_t event) {
  const Event& e = trace_[event];
  if (const auto* kept = std::get_if<BlockCached>(&e)) cached(*kept);
  if (const auto* gone = std::get_if<BlockEvicted>(&e)) {
    uncached(gone->block, {PrefixLoss::Kind::evicted, world_.step, gone->request});
  }
  if (const auto* old = std::get_if<BlockExpired>(&e)) {
    uncached(old->block, {PrefixLoss::Kind::expired, world_.step, std::nullopt});
  }
  if (const auto* removed = std::get_if<RadixNodeRemoved>(&e)) node_removed(removed->node, event);
  if (std::holds_alternative<PrefixCacheReset>(e) || std::holds_alternative<PoolCreated>(e)) emptied();
  if (const auto* computed = std::get_if<KvComputed>(&e); computed != nullptr && computed->kept) {
    computed_.resize(std::max(computed_.size(), index(computed->request) + 1));
    std::uint32_t& most = computed_[index(computed->request)];
    most = std::max(most, computed->first + computed->count);
  }
}

void PrefixHistory::cached(const BlockCached& e) {
  const std::uint64_t end = (std::uint64_t{e.logical} + 1) * block_size_;
  if (e.logical >= own_.size() || common_beginning(e.request) < end) return;
  const bool own = same_scope(world_.request(e.request).scope, static_cast<std::uint32_t>(end));
  cached_[value(e.block)] = {e.logical, own};
  (own ? own_ : elsewhere_)[e.logical].push_back(e.block);
}

void PrefixHistory::uncached(BlockId block, const PrefixLoss& loss) {
  const auto at = cached_.find(value(block));
  if (at == cached_.end()) return;
  const auto [i, own] = at->second;
  cached_.erase(at);
  std::vector<BlockId>& where = (own ? own_ : elsewhere_)[i];
  where.erase(std::remove(where.begin(), where.end(), block), where.end());
  if (own) losses_[i] = loss;
}

void PrefixHistory::emptied() {
  const auto all = cached_;
  for (const auto& [block, what] : all) {
    uncached(BlockId{block}, {PrefixLoss::Kind::emptied, world_.step, std::nullopt});
  }
}

// --- the radix tree

/// Whoever takes a block next in this step needed the room.
PrefixLoss PrefixHistory::tree_loss(std::size_t event) const {
  for (std::size_t i = event + 1; i < trace_.size(); ++i) {
    if (std::holds_alternative<RadixNodeRemoved>(trace_[i])) continue;
    if (std::holds_alternative<PrefixCacheReset>(trace_[i])) return {PrefixLoss::Kind::emptied, world_.step, {}};
    if (const auto* taken = std::get_if<BlockAllocated>(&trace_[i])) {
      return {PrefixLoss::Kind::evicted, world_.step, taken->request};
    }
    if (const auto* copied = std::get_if<BlockCopied>(&trace_[i])) {
      return {PrefixLoss::Kind::evicted, world_.step, copied->request};
    }
    if (std::holds_alternative<StepStarted>(trace_[i])) break;
  }
  return {PrefixLoss::Kind::evicted, world_.step, std::nullopt};
}

void PrefixHistory::node_removed(NodeId node, std::size_t event) {
  std::uint32_t before = 0;
  for (const NodeId id : path_to(world_, node)) {
    const RadixNodeState& on_path = *world_.radix[index(id)];
    if (on_path.parent == NodeId{0} && on_path.scope != scope_) return;
    const std::uint32_t same = equal_tokens(tokens_.subspan(before), on_path.tokens);
    if (id == node) {
      const PrefixLoss loss = tree_loss(event);
      for (std::size_t i = before / block_size_; (i + 1) * block_size_ <= before + same; ++i) {
        losses_[i] = loss;
      }
    }
    if (same < on_path.tokens.size()) return;
    before += same;
  }
}

/// The tree is asked once, at the end: own_ or elsewhere_ get what it holds now.
void PrefixHistory::match_tree(bool own) {
  std::vector<std::vector<BlockId>>& where = own ? own_ : elsewhere_;
  for (auto& blocks : where) blocks.clear();
  const std::vector<std::vector<NodeId>> children = radix_children(world_);
  std::vector<std::pair<NodeId, std::uint32_t>> open{{NodeId{0}, 0}};  // a node whose path is equal, and its length
  while (!open.empty()) {
    const auto [parent, before] = open.back();
    open.pop_back();
    for (const NodeId id : children[index(parent)]) {
      const RadixNodeState& node = *world_.radix[index(id)];
      if (parent == NodeId{0} && (node.scope == scope_) != own) continue;
      const std::uint32_t same = equal_tokens(tokens_.subspan(before), node.tokens);
      for (std::size_t page = 0; (page + 1) * block_size_ <= same; ++page) {
        where[before / block_size_ + page].push_back(node.blocks[page]);
      }
      if (same == node.tokens.size()) open.emplace_back(id, before + same);
    }
  }
}

}  // namespace kvarium
