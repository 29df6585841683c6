// The radix tree grows, is cut, and loses leaves.

#include <algorithm>
#include <utility>

#include "core/trace/fold/folder.h"

namespace kvarium {

void Folder::operator()(const RadixTreeCreated&) {
  if (!world_.radix.empty()) cannot_follow("there is a radix tree already");
  RadixNodeState root;
  root.exists = true;
  world_.radix.emplace_back(root);
}

void Folder::operator()(const RadixNodeInserted& e) {
  const RadixNodeState& parent = node(e.parent);
  if (index(e.node) == 0 || index(e.node) > world_.radix.size()) cannot_follow("the new node's id");
  if (index(e.node) < world_.radix.size() && world_.radix[index(e.node)]->exists) {
    cannot_follow("node " + std::to_string(value(e.node)) + " is in the tree already");
  }
  if (!parent.exists) cannot_follow("the new node's parent is not in the tree");
  if (e.tokens.empty() || e.tokens.size() != e.blocks.size() * std::uint64_t{world_.block_size}) {
    cannot_follow("the new node's tokens do not fill its blocks");
  }
  for (const BlockId id : e.blocks) {
    if (block(id).ref_count == 0 || block(id).in_tree) cannot_follow("the new node's blocks must be held by a table");
  }
  std::vector<BlockId> sorted = e.blocks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    cannot_follow("the new node names a block twice");
  }
  for (const BlockId id : e.blocks) {
    block(id).in_tree = true;
    ++block(id).ref_count;
  }
  if (index(e.node) == world_.radix.size()) world_.radix.emplace_back(RadixNodeState{});
  world_.radix[index(e.node)].edit() = {true, e.parent, e.tokens, e.blocks, e.scope, 0, world_.step};
}

void Folder::operator()(const RadixNodeSplit& e) {
  const RadixNodeState& whole = node(e.lower);
  if (e.lower == NodeId{0} || !whole.exists) cannot_follow("the node that is cut is not in the tree");
  if (index(e.upper) == 0 || index(e.upper) > world_.radix.size()) cannot_follow("the upper node's id");
  if (index(e.upper) < world_.radix.size() && world_.radix[index(e.upper)]->exists) {
    cannot_follow("node " + std::to_string(value(e.upper)) + " is in the tree already");
  }
  if (world_.block_size == 0 || e.tokens == 0 || e.tokens >= whole.tokens.size() || e.tokens % world_.block_size != 0) {
    cannot_follow("a node can be cut between two of its pages only");
  }
  if (index(e.upper) == world_.radix.size()) world_.radix.emplace_back(RadixNodeState{});
  RadixNodeState& lower = world_.radix[index(e.lower)].edit();
  RadixNodeState& upper = world_.radix[index(e.upper)].edit();
  const auto tokens = static_cast<std::ptrdiff_t>(e.tokens);
  const auto blocks = static_cast<std::ptrdiff_t>(e.tokens / world_.block_size);
  upper = {true,
           lower.parent,
           {lower.tokens.begin(), lower.tokens.begin() + tokens},
           {lower.blocks.begin(), lower.blocks.begin() + blocks},
           lower.scope,
           lower.locks,
           lower.used_step};
  lower.tokens.erase(lower.tokens.begin(), lower.tokens.begin() + tokens);
  lower.blocks.erase(lower.blocks.begin(), lower.blocks.begin() + blocks);
  lower.scope.clear();
  lower.parent = e.upper;
}

void Folder::operator()(const RadixNodeRemoved& e) {
  if (e.node == NodeId{0} || !node(e.node).exists) cannot_follow("the removed node is not in the tree");
  const std::vector<BlockId> blocks = node(e.node).blocks;
  world_.radix[index(e.node)].edit() = RadixNodeState{};
  for (const BlockId id : blocks) {
    block(id).in_tree = false;
    if (block(id).ref_count > 0) let_go(block(id), id);
  }
  world_.evicted_blocks += blocks.size();
}

void Folder::operator()(const RadixPathUsed& e) {
  for_path(e.node, [this](RadixNodeState& on_path) { on_path.used_step = world_.step; });
}

void Folder::operator()(const RadixPathLocked& e) {
  for_path(e.node, [](RadixNodeState& on_path) { ++on_path.locks; });
}

void Folder::operator()(const RadixPathUnlocked& e) {
  if (node(e.node).locks == 0) cannot_follow("node " + std::to_string(value(e.node)) + " has no lock");
  for_path(e.node, [this](RadixNodeState& on_path) {
    if (on_path.locks > 0 && --on_path.locks == 0) on_path.used_step = world_.step;
  });
}

}  // namespace kvarium
