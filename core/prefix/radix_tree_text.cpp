// The radix tree in one line, and what is wrong with it.

#include <algorithm>
#include <tuple>

#include "core/prefix/radix_cache.h"
#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium {

/// [node ids]: the children of each, sorted by scope and tokens.
std::vector<std::vector<NodeId>> RadixCache::children() const {
  std::vector<std::vector<NodeId>> lists(nodes_.size());
  for (const NodeId id : edges_) {
    if (at(id).parent != kNone) lists[index(at(id).parent)].push_back(id);  // orphans of the bug zoo are nobody's
  }
  for (std::vector<NodeId>& list : lists) {
    std::sort(list.begin(), list.end(), [this](NodeId a, NodeId b) {
      return std::tie(at(a).scope, at(a).tokens) < std::tie(at(b).scope, at(b).tokens);
    });
  }
  return lists;
}

std::string RadixCache::show(NodeId id, const std::vector<std::vector<NodeId>>& children) const {
  std::string text;
  if (id != root()) {
    text = printable(at(id).scope) + "[";
    for (const TokenId token : at(id).tokens) text += std::to_string(value(token)) + ",";
    text.back() = ']';
    if (at(id).locks > 0) text += "x" + std::to_string(at(id).locks);
  }
  const std::vector<NodeId>& below = children[index(id)];
  if (id != root() && !below.empty()) text += "{";
  for (const NodeId child : below) text += (child == below.front() ? "" : ", ") + show(child, children);
  if (id != root() && !below.empty()) text += "}";
  return text;
}

std::string RadixCache::show() const {
  return show(root(), children()) + " | evictable " + std::to_string(evictable_tokens_) + ", protected " +
         std::to_string(protected_tokens_);
}

std::vector<std::string> RadixCache::violations() const {
  std::vector<std::string> wrong;
  check_nodes(wrong);
  check_list(wrong);
  check_sizes(wrong);
  return wrong;
}

void RadixCache::check_nodes(std::vector<std::string>& wrong) const {
  const auto lists = children();
  for (const NodeId id : edges_) {
    const Node& node = at(id);
    const auto number = value(id);
    if (node.tokens.empty() || node.tokens.size() % page_size_ != 0 ||
        node.blocks.size() != node.tokens.size() / page_size_) {
      wrong.push_back(tr_format("Node {} of the radix tree has {} blocks for {} tokens in pages of {}.", number,
                                node.blocks.size(), node.tokens.size(), page_size_));
    }
    if (node.num_children != lists[index(id)].size()) {
      wrong.push_back(tr_format("Node {} of the radix tree counts {} children and has {}.", number, node.num_children,
                                lists[index(id)].size()));
    }
    if (node.parent == kNone) {
      wrong.push_back(tr_format("Node {} of the radix tree is an orphan: nobody finds it any more.", number));
      continue;
    }
    if (node.parent != root() && at(node.parent).locks < node.locks) {
      wrong.push_back(tr_format("Node {} of the radix tree has {} locks, its parent {}.", number, node.locks,
                                at(node.parent).locks));
    }
  }
}

void RadixCache::check_list(std::vector<std::string>& wrong) const {
  std::vector<bool> listed(nodes_.size(), false);
  for (NodeId id = oldest_; id != kNone; id = at(id).newer) {
    if (at(id).locks > 0) wrong.push_back(tr_format("Node {} is locked, and could be evicted.", value(id)));
    if (at(id).parent != kNone && listed[index(at(id).parent)]) {
      wrong.push_back(tr_format("Node {} would be evicted after its parent {}.", value(id), value(at(id).parent)));
    }
    listed[index(id)] = true;
  }
  for (const NodeId id : edges_) {
    if (at(id).locks == 0 && !listed[index(id)]) {
      wrong.push_back(tr_format("Node {} has no lock, and could never be evicted.", value(id)));
    }
  }
}

void RadixCache::check_sizes(std::vector<std::string>& wrong) const {
  std::uint64_t tokens[2] = {0, 0};
  std::vector<BlockId> blocks;
  for (const NodeId id : edges_) {
    tokens[at(id).locks > 0 ? 1 : 0] += at(id).tokens.size();
    blocks.insert(blocks.end(), at(id).blocks.begin(), at(id).blocks.end());
  }
  if (tokens[0] != evictable_tokens_ || tokens[1] != protected_tokens_) {
    wrong.push_back(tr_format("The radix tree counts {} evictable and {} protected tokens; its nodes have {} and {}.",
                              evictable_tokens_, protected_tokens_, tokens[0], tokens[1]));
  }
  std::sort(blocks.begin(), blocks.end());
  const auto twice = std::adjacent_find(blocks.begin(), blocks.end());
  if (twice != blocks.end()) wrong.push_back(tr_format("The radix tree holds block {} twice.", value(*twice)));
}

}  // namespace kvarium
