#include "core/trace/prefix_tree.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/prefix/extra_keys.h"
#include "core/token_text.h"
#include "core/trace/describe.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

/// Puts nodes into the order of the list, without recursion: chains may be tens of thousands of nodes deep.
/// `children[i]`: numbers of the children of i, sorted; 0 is the root. `make(i)`: the node of number i.
template <typename Make>
std::vector<PrefixNode> in_order(const std::vector<std::vector<std::uint32_t>>& children, std::size_t most_children,
                                 Make make) {
  struct Item {
    std::uint32_t number, parent, folded;
  };
  std::vector<PrefixNode> nodes;
  std::vector<Item> waiting{{0, 0, 0}};
  while (!waiting.empty()) {
    const Item item = waiting.back();
    waiting.pop_back();
    const auto place = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(item.folded > 0 ? PrefixNode{} : make(item.number));
    nodes.back().parent = item.parent;
    nodes.back().folded = item.folded;
    if (item.folded > 0) continue;
    const std::vector<std::uint32_t>& below = children[item.number];
    const std::size_t shown = below.size() > most_children ? most_children - 1 : below.size();
    if (shown < below.size()) waiting.push_back({0, place, static_cast<std::uint32_t>(below.size() - shown)});
    for (std::size_t i = shown; i > 0; --i) waiting.push_back({below[i - 1], place, 0});
  }
  return nodes;
}

std::vector<TokenId> preview_of(const std::vector<TokenId>& tokens, std::size_t first, std::size_t count) {
  const std::size_t begin = std::min(first, tokens.size());
  const std::size_t end = std::min({tokens.size(), first + count, first + kPreviewTokens});
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
          tokens.begin() + static_cast<std::ptrdiff_t>(std::max(begin, end))};
}

// --- the radix tree

bool hangs(const World& world, const RadixNodeState& node) {
  return index(node.parent) < world.radix.size() && world.radix[index(node.parent)]->exists;
}

PrefixTree radix_tree(const World& world, std::size_t most_children) {
  std::vector<std::vector<std::uint32_t>> children(world.radix.size());
  const std::vector<std::vector<NodeId>> sorted = radix_children(world);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (const NodeId child : sorted[i]) children[i].push_back(value(child));
  }
  for (std::uint32_t id = 1; id < world.radix.size(); ++id) {  // a faulty engine's: drawn below the root
    if (world.radix[id]->exists && !hangs(world, *world.radix[id])) children[0].push_back(id);
  }
  const auto make = [&world](std::uint32_t id) {
    const RadixNodeState& state = *world.radix[id];
    PrefixNode node;
    node.id = NodeId{id};
    node.preview = preview_of(state.tokens, 0, state.tokens.size());
    node.num_tokens = static_cast<std::uint32_t>(state.tokens.size());
    node.blocks = state.blocks;
    node.scope = state.scope;
    node.locks = state.locks;
    node.used_step = state.used_step;
    node.found = id == 0 || hangs(world, state);
    return node;
  };
  return {PrefixTreeKind::radix, in_order(children, most_children, make)};
}

// --- hashed blocks

/// Keys of the beginnings of requests' prompts, a key a whole block; equal tokens of equal scopes have equal keys.
class PrefixKeys {
 public:
  explicit PrefixKeys(const World& world) : world_(world) {}

  /// Of the request's first `blocks` blocks; 0: it has no such tokens (any more).
  std::uint64_t of(RequestId id, std::uint32_t blocks) {
    if (index(id) >= world_.requests.size()) return 0;
    const RequestState& request = *world_.requests[index(id)];
    std::vector<std::uint64_t>& keys = keys_[value(id)];
    if (keys.empty()) keys.push_back(1);
    const std::size_t size = world_.block_size;
    while (keys.size() <= blocks) {
      const std::size_t first = (keys.size() - 1) * size;
      if (first + size > request.tokens.size()) return 0;
      std::uint64_t key = keys.back();
      for (std::size_t i = first; i < first + size; ++i)
        key = mixed(key, static_cast<std::uint64_t>(value(request.tokens[i])));
      keys.push_back(key | 1U);
    }
    const std::string scope = tagged_until(request.scope, static_cast<std::uint32_t>(blocks * size));
    return mixed(keys[blocks], std::hash<std::string>{}(scope)) | 1U;
  }

 private:
  static std::uint64_t mixed(std::uint64_t key, std::uint64_t token) {
    key ^= token + 0x9E3779B97F4A7C15U + (key << 6U) + (key >> 2U);
    key *= 0xBF58476D1CE4E5B9U;
    return key ^ (key >> 31U);
  }

  const World& world_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> keys_;  ///< of the tokens alone
};

/// Of the blocks with a hash, those that are found by it.
std::vector<std::uint32_t> found_blocks(const World& world) {
  struct Mixed {
    std::size_t operator()(const BlockHash& hash) const {
      return static_cast<std::size_t>(hash.low ^ (hash.high * 31));
    }
  };
  std::unordered_map<BlockHash, std::uint32_t, Mixed> found;
  found.reserve(world.blocks.size());
  for (std::uint32_t id = 0; id < world.blocks.size(); ++id) {
    const BlockState& block = world.blocks[id];
    if (!block.hash) continue;
    const auto [first, is_new] = found.try_emplace(*block.hash, id);
    if (!is_new && block.cached_event < world.blocks[first->second].cached_event) first->second = id;
  }
  std::vector<std::uint32_t> blocks;
  blocks.reserve(found.size());
  for (const auto& [hash, id] : found) blocks.push_back(id);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

std::span<const TokenId> tokens_of(const World& world, std::uint32_t block) {
  const BlockState& state = world.blocks[block];
  const std::span<const TokenId> tokens(world.request(state.writer).tokens);
  const std::size_t first = std::size_t{state.writer_logical} * world.block_size;
  if (first >= tokens.size()) return {};
  return tokens.subspan(first, std::min<std::size_t>(world.block_size, tokens.size() - first));
}

/// [blocks + 1]: numbers of the children of the root (0) and of block b (b + 1). `lost[b]`: what comes before b is
/// gone.
std::vector<std::vector<std::uint32_t>> block_children(const World& world, std::vector<bool>& lost) {
  PrefixKeys keys(world);
  const std::vector<std::uint32_t> blocks = found_blocks(world);
  std::unordered_map<std::uint64_t, std::uint32_t> block_of;
  block_of.reserve(blocks.size());
  for (const std::uint32_t b : blocks) {
    const std::uint64_t key = keys.of(world.blocks[b].writer, world.blocks[b].writer_logical + 1);
    if (key != 0) block_of.emplace(key, b);
  }
  lost.assign(world.blocks.size(), false);
  std::vector<std::vector<std::uint32_t>> children(world.blocks.size() + 1);
  for (const std::uint32_t b : blocks) {
    const BlockState& state = world.blocks[b];
    std::uint32_t parent = 0;
    if (state.writer_logical > 0) {
      const auto before = block_of.find(keys.of(state.writer, state.writer_logical));
      lost[b] = before == block_of.end();
      if (!lost[b]) parent = before->second + 1;
    }
    children[parent].push_back(b + 1);
  }
  const auto by_tokens = [&world](std::uint32_t a, std::uint32_t b) {
    const std::span<const TokenId> left = tokens_of(world, a - 1), right = tokens_of(world, b - 1);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  };
  for (std::vector<std::uint32_t>& below : children)
    if (below.size() > 1) std::stable_sort(below.begin(), below.end(), by_tokens);
  return children;
}

PrefixTree hash_tree(const World& world, std::size_t most_children) {
  std::vector<bool> lost;
  std::vector<std::vector<std::uint32_t>> children = block_children(world, lost);
  std::vector<std::vector<std::uint32_t>> runs(children.size());  // blocks of the node that starts with this one
  std::vector<std::uint32_t> starts = children[0];
  while (!starts.empty()) {
    const std::uint32_t start = starts.back();
    starts.pop_back();
    std::uint32_t last = start;
    runs[start].push_back(start - 1);
    while (children[last].size() == 1) {
      last = children[last].front();
      runs[start].push_back(last - 1);
    }
    std::vector<std::uint32_t> below = std::move(children[last]);
    starts.insert(starts.end(), below.begin(), below.end());
    children[start] = std::move(below);
  }
  const auto make = [&](std::uint32_t number) {
    PrefixNode node;
    for (const std::uint32_t b : runs[number]) {
      node.blocks.push_back(BlockId{b});
      node.used_step = std::max(node.used_step, world.blocks[b].written_step);
    }
    if (number == 0) return node;
    const BlockState& first = world.blocks[number - 1];
    node.num_tokens = static_cast<std::uint32_t>(node.blocks.size() * world.block_size);
    const RequestState& writer = world.request(first.writer);
    node.preview = preview_of(writer.tokens, std::size_t{first.writer_logical} * world.block_size, world.block_size);
    for (std::size_t i = 1; i < runs[number].size() && node.preview.size() < kPreviewTokens; ++i) {
      for (const TokenId token : tokens_of(world, runs[number][i])) node.preview.push_back(token);
    }
    node.preview.resize(std::min(node.preview.size(), kPreviewTokens));
    node.scope = first.writer_logical == 0 ? tagged_until(writer.scope, node.num_tokens) : "";
    node.found = !lost[number - 1];
    return node;
  };
  return {PrefixTreeKind::hashes, in_order(children, most_children, make)};
}

std::string line_of(const World& world, const PrefixTree& tree, const PrefixNode& node) {
  std::string preview, blocks;
  for (const TokenId token : node.preview) preview += printable(world.text_of(token));
  if (node.num_tokens > node.preview.size()) preview += "...";
  constexpr std::size_t kMostBlocks = 16;
  for (std::size_t i = 0; i < std::min(node.blocks.size(), kMostBlocks); ++i)
    blocks += " " + std::to_string(value(node.blocks[i]));
  if (node.blocks.size() > kMostBlocks) blocks += " ...";
  std::string text = tree.kind == PrefixTreeKind::radix ? tr_format("node {} ", value(node.id)) : std::string();
  if (!node.scope.empty()) text += printable(node.scope) + " ";
  text += tr_format("\"{}\": {} tokens, blocks{}", preview, node.num_tokens, blocks);
  if (node.locks > 0) text += tr_format(", locks {}", node.locks);
  if (!node.found) text += std::string(tr(", not found: what comes before it is gone"));
  const bool radix = tree.kind == PrefixTreeKind::radix;
  return text +
         (radix ? tr_format(", used in step {}", node.used_step) : tr_format(", written in step {}", node.used_step));
}

}  // namespace

PrefixTree prefix_tree(const World& world, std::size_t most_children) {
  if (!world.radix.empty()) return radix_tree(world, most_children);
  const bool cached = std::any_of(world.blocks.begin(), world.blocks.end(),
                                  [](const BlockState& block) { return block.hash.has_value(); });
  return cached && world.block_size > 0 ? hash_tree(world, most_children) : PrefixTree{};
}

std::string show_prefix_tree(const World& world, std::size_t most_lines) {
  constexpr std::size_t kDeepest = 30;  // levels that are indented
  const PrefixTree tree = prefix_tree(world);
  std::vector<std::size_t> depths(tree.nodes.size(), 0);
  std::string text;
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    depths[i] = depths[tree.nodes[i].parent] + 1;
    if (i > most_lines) return text + tr_format("... {} more nodes", tree.nodes.size() - i) + "\n";
    text += std::string(2 * (std::min(depths[i], kDeepest) - 1), ' ') + line_of(world, tree, tree.nodes[i]) + "\n";
  }
  return text;
}

}  // namespace kvarium
