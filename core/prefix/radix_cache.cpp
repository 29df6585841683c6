#include "core/prefix/radix_cache.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/error.h"

namespace kvarium {
namespace {

std::string_view bytes_of(std::span<const TokenId> tokens) {
  return {reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()};
}

}  // namespace

RadixCache::RadixCache(std::uint32_t page_size, EvictionUnit unit)
    : page_size_(page_size), unit_(unit), nodes_(1), edges_(16, EdgeHash{this}, EdgeEqual{this}) {
  if (page_size == 0) throw InputError("page size 0: a page must hold at least 1 token");
}

// --- looking up and adding

RadixMatch RadixCache::match(std::span<const TokenId> tokens, std::string_view scope) {
  const Path path = walk(whole_pages(tokens), scope);
  use_path(path.end);
  RadixMatch match{{}, static_cast<std::uint32_t>(path.num_tokens), path.end, path.split};
  match.blocks.resize(path.num_tokens / page_size_);
  auto end = match.blocks.end();  // the path is known from its end to the root
  for (NodeId id = path.end; id != root(); id = at(id).parent) {
    end = std::copy_backward(at(id).blocks.begin(), at(id).blocks.end(), end);
  }
  return match;
}

RadixInsertion RadixCache::insert(std::span<const TokenId> tokens, std::span<const BlockId> blocks,
                                  std::string_view scope) {
  tokens = whole_pages(tokens);
  const std::size_t pages = tokens.size() / page_size_;
  if (blocks.size() < pages) {
    throw MisuseError(std::to_string(pages) + " pages of tokens, but only " + std::to_string(blocks.size()) +
                      " blocks are given for them");
  }
  const Path path = walk(tokens, scope);
  RadixInsertion result{static_cast<std::uint32_t>(path.num_tokens), path.end, {}, path.split};
  if (path.num_tokens < tokens.size()) {
    const std::size_t first_page = path.num_tokens / page_size_;
    result.leaf =
        add_leaf(path.end, tokens.subspan(path.num_tokens), blocks.subspan(first_page, pages - first_page), scope);
    result.node = *result.leaf;
  }
  use_path(path.end);
  return result;
}

// From the root down, child by child; a node that agrees only in part is cut where it ceases to agree.
RadixCache::Path RadixCache::walk(std::span<const TokenId> tokens, std::string_view scope) {
  Path path;
  while (path.num_tokens < tokens.size()) {
    const auto rest = tokens.subspan(path.num_tokens);
    const std::optional<NodeId> child = child_with(path.end, scope, rest);
    if (!child) break;
    const std::size_t common = common_tokens(at(*child), rest);
    path.num_tokens += common;
    if (common < at(*child).tokens.size()) {
      path.split = split(*child, common);
      path.end = path.split->upper;
      // As in SGLang, all of a node that is met counts as used. By pages, only the pages that match do.
      if (unit_ == EvictionUnit::node) use(path.split->lower);
      break;
    }
    path.end = *child;
  }
  return path;
}

std::optional<NodeId> RadixCache::child_with(NodeId parent, std::string_view scope,
                                             std::span<const TokenId> rest) const {
  const auto child = edges_.find(Edge{parent, parent == root() ? scope : "", rest.first(page_size_)});
  return child == edges_.end() ? std::nullopt : std::optional(*child);
}

std::vector<BlockId> RadixCache::peek(std::span<const TokenId> tokens, std::string_view scope) const {
  tokens = whole_pages(tokens);
  std::vector<BlockId> blocks;
  for (NodeId at_node = root(); !tokens.empty();) {
    const std::optional<NodeId> child = child_with(at_node, scope, tokens);
    if (!child) break;
    const Node& node = at(*child);
    const std::size_t common = common_tokens(node, tokens);
    blocks.insert(blocks.end(), node.blocks.begin(),
                  node.blocks.begin() + static_cast<std::ptrdiff_t>(common / page_size_));
    if (common < node.tokens.size()) break;
    tokens = tokens.subspan(common);
    at_node = *child;
  }
  return blocks;
}

std::span<const TokenId> RadixCache::whole_pages(std::span<const TokenId> tokens) const {
  if (tokens.size() > UINT32_MAX) throw MisuseError("a sequence has at most 4294967295 tokens");
  return tokens.first(tokens.size() / page_size_ * page_size_);
}

std::size_t RadixCache::common_tokens(const Node& node, std::span<const TokenId> tokens) const {
  const std::size_t most = std::min(node.tokens.size(), tokens.size());
  const auto differs =
      std::mismatch(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(most), node.tokens.begin());
  return static_cast<std::size_t>(differs.first - tokens.begin()) / page_size_ * page_size_;
}

// --- the shape of the tree

RadixCache::Edge RadixCache::edge_to(NodeId child) const {
  const Node& node = at(child);
  return {node.parent, node.scope, std::span(node.tokens).first(page_size_)};
}

std::size_t RadixCache::EdgeHash::operator()(const Edge& edge) const {
  const std::hash<std::string_view> hash;
  return hash(bytes_of(edge.page)) + value(edge.parent) * 0x9E3779B97F4A7C15U + hash(edge.scope) * 31U;
}

bool RadixCache::EdgeEqual::operator()(const Edge& a, const Edge& b) const {
  return a.parent == b.parent && a.scope == b.scope && bytes_of(a.page) == bytes_of(b.page);
}

// Both halves get lists of their own, of the right size: halves that shared one list would keep all of it alive until
// the last of them is evicted.
RadixSplit RadixCache::split(NodeId lower_id, std::size_t upper_tokens) {
  const NodeId upper_id = new_node();
  Node& upper = at(upper_id);
  Node& lower = at(lower_id);
  edges_.erase(lower_id);
  const auto tokens_cut = lower.tokens.begin() + static_cast<std::ptrdiff_t>(upper_tokens);
  const auto blocks_cut = lower.blocks.begin() + static_cast<std::ptrdiff_t>(upper_tokens / page_size_);
  upper.parent = std::exchange(lower.parent, upper_id);
  upper.num_children = 1;
  upper.locks = lower.locks;
  upper.tokens = {lower.tokens.begin(), tokens_cut};
  upper.blocks = {lower.blocks.begin(), blocks_cut};
  upper.scope = std::exchange(lower.scope, {});
  lower.tokens = {tokens_cut, lower.tokens.end()};
  lower.blocks = {blocks_cut, lower.blocks.end()};
  edges_.insert(upper_id);
  edges_.insert(lower_id);
  if (upper.locks == 0) append_newest(upper_id);
  return {upper_id, lower_id, static_cast<std::uint32_t>(upper_tokens)};
}

NodeId RadixCache::add_leaf(NodeId parent, std::span<const TokenId> tokens, std::span<const BlockId> blocks,
                            std::string_view scope) {
  const NodeId id = new_node();
  Node& leaf = at(id);
  leaf.parent = parent;
  leaf.tokens.assign(tokens.begin(), tokens.end());
  leaf.blocks.assign(blocks.begin(), blocks.end());
  if (parent == root()) leaf.scope = scope;
  ++at(parent).num_children;
  edges_.insert(id);
  append_newest(id);
  evictable_tokens_ += leaf.tokens.size();
  return id;
}

void RadixCache::remove_node(NodeId id) {
  if (at(id).num_children > 0) orphan_children(id);  // only with EvictionUnit::any_node
  unlink(id);
  edges_.erase(id);
  Node& node = at(id);
  if (node.parent != kNone) --at(node.parent).num_children;
  evictable_tokens_ -= node.tokens.size();
  node = {};
  unused_ids_.push_back(id);
}

// They stay where they are, and no walk from the root comes to them.
void RadixCache::orphan_children(NodeId id) {
  std::vector<NodeId> children;
  for (const NodeId child : edges_) {
    if (at(child).parent == id) children.push_back(child);
  }
  for (const NodeId child : children) {
    edges_.erase(child);
    at(child).parent = kNone;
    edges_.insert(child);
  }
}

void RadixCache::trim_leaf(NodeId id, std::size_t kept_pages) {
  Node& leaf = at(id);
  evictable_tokens_ -= leaf.tokens.size() - kept_pages * page_size_;
  leaf.tokens.resize(kept_pages * page_size_);
  leaf.blocks.resize(kept_pages);
  leaf.tokens.shrink_to_fit();
  leaf.blocks.shrink_to_fit();
}

NodeId RadixCache::new_node() {
  if (!unused_ids_.empty()) {
    const NodeId id = unused_ids_.back();
    unused_ids_.pop_back();
    return id;
  }
  nodes_.emplace_back();
  return NodeId{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

// --- who may be evicted, and in which order

void RadixCache::lock(NodeId end) {
  must_find(end);
  for (NodeId id = end; id != root() && id != kNone; id = at(id).parent) {
    Node& node = at(id);
    if (node.locks++ > 0) continue;
    unlink(id);
    evictable_tokens_ -= node.tokens.size();
    protected_tokens_ += node.tokens.size();
  }
}

void RadixCache::unlock(NodeId end) {
  if (end != root() && must_find(end).locks == 0) {
    throw MisuseError("node " + std::to_string(value(end)) + " of the radix tree is not locked");
  }
  for (NodeId id = end; id != root() && id != kNone; id = at(id).parent) {
    Node& node = at(id);
    if (--node.locks > 0) continue;
    append_newest(id);
    protected_tokens_ -= node.tokens.size();
    evictable_tokens_ += node.tokens.size();
  }
  if (unit_ == EvictionUnit::any_node) use_path_from_root(end);
}

RadixEviction RadixCache::evict(std::uint64_t tokens) {
  RadixEviction evicted;
  for (std::uint64_t free = 0; free < tokens && oldest_ != kNone;) {
    const NodeId leaf = oldest_;
    const std::vector<BlockId>& blocks = at(leaf).blocks;
    const std::uint64_t needed_pages = (tokens - free + page_size_ - 1) / page_size_;
    const bool trims = unit_ == EvictionUnit::page && needed_pages < blocks.size();
    const std::size_t kept = trims ? blocks.size() - static_cast<std::size_t>(needed_pages) : 0;
    free += (blocks.size() - kept) * page_size_;
    evicted.blocks.insert(evicted.blocks.end(), blocks.begin() + static_cast<std::ptrdiff_t>(kept), blocks.end());
    if (trims) {
      trim_leaf(leaf, kept);
      evicted.trimmed = leaf;
    } else {
      remove_node(leaf);
      evicted.nodes.push_back(leaf);
    }
  }
  return evicted;
}

void RadixCache::use(NodeId id) {
  if (at(id).locks > 0) return;  // its turn comes when the last lock goes
  unlink(id);
  append_newest(id);
}

// From the end up: every node ends up just before its parent.
void RadixCache::use_path(NodeId end) {
  if (unit_ == EvictionUnit::any_node) return use_path_from_root(end);
  for (NodeId id = end; id != root() && id != kNone; id = at(id).parent) use(id);
}

void RadixCache::use_path_from_root(NodeId end) {
  std::vector<NodeId> path;
  for (NodeId id = end; id != root() && id != kNone; id = at(id).parent) path.push_back(id);
  for (; !path.empty(); path.pop_back()) use(path.back());
}

void RadixCache::append_newest(NodeId id) {
  Node& node = at(id);
  node.older = newest_;
  node.newer = kNone;
  (newest_ == kNone ? oldest_ : at(newest_).newer) = id;
  newest_ = id;
}

void RadixCache::unlink(NodeId id) {
  Node& node = at(id);
  (node.older == kNone ? oldest_ : at(node.older).newer) = node.newer;
  (node.newer == kNone ? newest_ : at(node.newer).older) = node.older;
  node.older = node.newer = kNone;
}

// --- questions

const RadixCache::Node& RadixCache::must_find(NodeId id) const {
  const bool exists = index(id) < nodes_.size() && (id == root() || at(id).parent != kNone);
  if (!exists) throw MisuseError("the radix tree has no node " + std::to_string(value(id)));
  return at(id);
}

std::size_t RadixCache::num_nodes() const { return edges_.size(); }

NodeId RadixCache::parent(NodeId id) const {
  if (id == root()) throw MisuseError("the root of the radix tree has no parent");
  return must_find(id).parent;
}

std::uint32_t RadixCache::locks(NodeId id) const { return must_find(id).locks; }

std::size_t RadixCache::list_bytes() const {
  std::size_t bytes = 0;
  for (const Node& node : nodes_) {
    bytes += node.tokens.capacity() * sizeof(TokenId) + node.blocks.capacity() * sizeof(BlockId);
  }
  return bytes;
}

}  // namespace kvarium
