// The prefix caches of a World as text.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/token_text.h"
#include "core/trace/describe.h"

namespace kvarium {
namespace {

std::string radix_text(const World& world, NodeId id, const std::vector<std::vector<NodeId>>& children) {
  const RadixNodeState& node = *world.radix[index(id)];
  const bool is_root = id == NodeId{0};
  std::string text;
  if (!is_root) {
    text = printable(node.scope) + "[";
    for (const TokenId token : node.tokens) text += std::to_string(value(token)) + ",";
    text.back() = ']';
    if (node.locks > 0) text += "x" + std::to_string(node.locks);
  }
  const std::vector<NodeId>& below = children[index(id)];
  if (!is_root && !below.empty()) text += "{";
  for (const NodeId child : below) text += (child == below.front() ? "" : ", ") + radix_text(world, child, children);
  if (!is_root && !below.empty()) text += "}";
  return text;
}

}  // namespace

std::string show_cached(const World& world) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> found;  // the block of each hash that is found
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    const BlockState& block = world.blocks[id];
    if (!block.hash) continue;
    const auto [first, is_new] = found.try_emplace({block.hash->high, block.hash->low}, id);
    if (!is_new && block.cached_event < world.blocks[first->second].cached_event) first->second = id;
  }
  std::string text = "cached";
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    const auto& hash = world.blocks[id].hash;
    if (!hash) continue;
    const std::size_t first = found.at({hash->high, hash->low});
    text += " " + std::to_string(id) + (first == id ? "" : "=" + std::to_string(first));
  }
  return text;
}

std::vector<std::vector<NodeId>> radix_children(const World& world) {
  std::vector<std::vector<NodeId>> lists(world.radix.size());
  for (std::uint32_t id = 1; id < world.radix.size(); ++id) {
    const RadixNodeState& node = *world.radix[id];
    const bool hangs = node.exists && index(node.parent) < lists.size() && world.radix[index(node.parent)]->exists;
    if (hangs) lists[index(node.parent)].push_back(NodeId{id});
  }
  const auto by_text = [&world](NodeId a, NodeId b) {
    const RadixNodeState& left = *world.radix[index(a)];
    const RadixNodeState& right = *world.radix[index(b)];
    return std::tie(left.scope, left.tokens) < std::tie(right.scope, right.tokens);
  };
  for (std::vector<NodeId>& list : lists) std::sort(list.begin(), list.end(), by_text);
  return lists;
}

std::string show_radix(const World& world) {
  if (world.radix.empty()) return {};
  const RadixSizes sizes = radix_sizes(world);
  return radix_text(world, NodeId{0}, radix_children(world)) + " | evictable " + std::to_string(sizes.evictable) +
         ", protected " + std::to_string(sizes.locked);
}

}  // namespace kvarium
