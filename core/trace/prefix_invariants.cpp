#include "core/trace/prefix_invariants.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/prefix/extra_keys.h"

namespace kvarium {
namespace {

/// The text that logical block `i` of a request stands for: its first `tokens` tokens under its scope.
struct Text {
  const RequestState* request;
  std::size_t tokens;
};

/// Media behind position `end` change nothing before it.
bool same_scope(const std::string& a, const std::string& b, std::size_t end) {
  const auto position = static_cast<std::uint32_t>(end);
  return a == b || tagged_until(a, position) == tagged_until(b, position);
}

bool same_text(const Text& a, const Text& b, std::size_t first) {
  const auto& [left, n] = a;
  const auto& [right, m] = b;
  if (n != m || left->tokens.size() < n || right->tokens.size() < n) return false;
  if (!same_scope(left->scope, right->scope, n)) return false;
  const auto at = static_cast<std::ptrdiff_t>(first);
  return std::equal(left->tokens.begin() + at, left->tokens.begin() + static_cast<std::ptrdiff_t>(n),
                    right->tokens.begin() + at);
}

const RequestState* writer_of(const World& world, const BlockState& block) {
  return index(block.writer) < world.requests.size() ? &*world.requests[index(block.writer)] : nullptr;
}

bool is_in_pool(const World& world, BlockId block) { return index(block) < world.blocks.size(); }

/// Checks one request's blocks. Blocks of one writer one after another are compared piece by piece; where the writer
/// changes, from the start, because K and V depend on all that came before.
void check_reader(const World& world, const RequestState& request, Sentences& wrong) {
  const RequestState* writer_before = nullptr;
  for (std::size_t i = 0; i < request.table.size(); ++i) {
    const std::uint32_t filled = filled_slots(world, request, i);
    if (filled == 0 || !is_in_pool(world, request.table[i])) return;
    const BlockState& block = world.blocks[index(request.table[i])];
    const RequestState* writer = writer_of(world, block);
    if (writer == nullptr || block.written < filled) return;  // another invariant's sentence
    const std::size_t start = i * world.block_size;
    const std::size_t compared = writer == writer_before ? start : 0;
    writer_before = writer;
    if (writer == &request && block.writer_logical == i) continue;
    const Text own{&request, start + filled}, there{writer, start + filled};
    if (block.writer_logical == i && same_text(own, there, compared)) continue;
    report(wrong,
           "Request {} reads block {} as its logical block {}, but the block holds K and V of another text, of request "
           "{}.",
           letter(request.id), value(request.table[i]), i, letter(writer->id));
    return;
  }
}

bool is_node(const World& world, NodeId id) { return index(id) < world.radix.size() && world.radix[index(id)]->exists; }

}  // namespace

void cached_blocks_are_full(const World& world, Sentences& wrong) {
  for (std::size_t id = 0; id < world.blocks.size(); ++id) {
    const BlockState& block = world.blocks[id];
    if (!block.hash || block.written >= world.block_size) continue;
    report(wrong, "Block {} can be found by its hash, yet only {} of its {} slots are written.", id, block.written,
           world.block_size);
  }
}

void requests_read_their_own_text(const World& world, Sentences& wrong) {
  for (const auto& request : world.requests) {
    if (!request->table.empty()) check_reader(world, *request, wrong);
  }
}

void radix_nodes_have_parents(const World& world, Sentences& wrong) {
  for (std::size_t id = 1; id < world.radix.size(); ++id) {
    const RadixNodeState& node = *world.radix[id];
    if (!node.exists || is_node(world, node.parent)) continue;
    report(wrong, "Node {} of the radix tree is an orphan: its parent {} is gone, and nobody finds it any more.", id,
           value(node.parent));
  }
}

void radix_siblings_differ(const World& world, Sentences& wrong) {
  std::map<std::tuple<NodeId, std::string, std::vector<TokenId>>, std::size_t> first_with;
  for (std::size_t id = 1; id < world.radix.size(); ++id) {
    const RadixNodeState& node = *world.radix[id];
    if (!node.exists || node.tokens.size() < world.block_size) continue;
    const auto page_end = node.tokens.begin() + static_cast<std::ptrdiff_t>(world.block_size);
    const auto [twin, is_new] = first_with.try_emplace({node.parent, node.scope, {node.tokens.begin(), page_end}}, id);
    if (!is_new)
      report(wrong, "Nodes {} and {} begin with the same page below node {}.", twin->second, id, value(node.parent));
  }
}

void radix_locks_reach_the_root(const World& world, Sentences& wrong) {
  std::vector<std::uint64_t> below(world.radix.size(), 0);
  for (std::size_t id = 1; id < world.radix.size(); ++id) {
    const RadixNodeState& node = *world.radix[id];
    if (node.exists && index(node.parent) < below.size()) below[index(node.parent)] += node.locks;
  }
  for (std::size_t id = 1; id < world.radix.size(); ++id) {
    if (!world.radix[id]->exists || world.radix[id]->locks >= below[id]) continue;
    report(wrong, "Node {} has {} locks, and the nodes below it {}.", id, world.radix[id]->locks, below[id]);
  }
}

void radix_blocks_are_full_and_in_one_node(const World& world, Sentences& wrong) {
  std::vector<std::uint32_t> named(world.blocks.size(), 0);
  for (const auto& node : world.radix) {
    for (const BlockId block : node->blocks) {
      if (is_in_pool(world, block)) ++named[index(block)];
    }
  }
  for (std::size_t id = 0; id < named.size(); ++id) {
    const BlockState& block = world.blocks[id];
    if (named[id] != (block.in_tree ? 1 : 0)) {
      report(wrong, "{} nodes of the radix tree name block {}, which {} in the tree.", named[id], id,
             block.in_tree ? tr("is") : tr("is not"));
    }
    if (block.in_tree && block.written < world.block_size) {
      report(wrong, "Block {} is in the radix tree, yet only {} of its {} slots are written.", id, block.written,
             world.block_size);
    }
  }
}

}  // namespace kvarium
