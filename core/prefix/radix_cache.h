#pragma once
// A tree of all prefixes whose K and V are kept (SGLang: RadixCache; Zheng et al. 2024, section 3). An edge is not one
// token but a whole run of them, so a prompt is one node until a second prompt branches off inside it.
//
//   insert 1 2 3, then 1 2 4 5:     [1,2] -+- [3]
//                                          +- [4,5]
//
// The tree owns blocks (pages), not tensors. With page size 1 a block is one slot, and prompts part at any token; with
// page size n they part at whole pages only, and tokens behind the last whole page are not kept.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// A node was cut in two. `lower` is the old node, which keeps its id and its children; `upper` is new, and its parent.
struct RadixSplit {
  NodeId upper{};
  NodeId lower{};
  std::uint32_t tokens = 0;  ///< of `upper` now
  bool operator==(const RadixSplit&) const = default;
};

/// What a look-up found. It changes the tree: nodes on the path count as used now, and a node that matches in part is
/// cut where the match ends, so that a lock protects the matched tokens and no others.
struct RadixMatch {
  std::vector<BlockId> blocks;  ///< of the matched pages, from the first token on
  std::uint32_t num_tokens = 0;
  NodeId node{};  ///< where the match ends: what to lock; the root when nothing matched
  std::optional<RadixSplit> split;
};

struct RadixInsertion {
  /// Tokens that were in the tree before. Their blocks were not taken: the caller keeps or frees these duplicates.
  std::uint32_t num_present = 0;
  NodeId node{};               ///< where the inserted tokens end
  std::optional<NodeId> leaf;  ///< the node that was added, unless all was present
  std::optional<RadixSplit> split;
};

struct RadixEviction {
  std::vector<NodeId> nodes;      ///< removed, in this order
  std::optional<NodeId> trimmed;  ///< a leaf that lost only its last pages
  std::vector<BlockId> blocks;    ///< no longer the tree's
};

/// What eviction takes: whole nodes, and so perhaps more than was asked for (SGLang); or of the last node only the
/// pages that are needed, from its end, which finds as many tokens again as a cache of single blocks does. any_node is
/// for the bug zoo: a node's use counts before that of its ancestors, so that they are evicted first, and what hangs
/// below them is found no more.
enum class EvictionUnit : std::uint8_t { node, page, any_node };

/// Least recently used prefixes are evicted, leaf by leaf. The nodes without a lock form a list, the least recently
/// used first. Invariant: every node stands before its parent, because whoever uses a node uses its ancestors just
/// after it. So the first node of the list is a leaf, and eviction never searches.
///
/// SGLang calls a node used when it is matched or inserted; here also when its last lock goes, as in vLLM's free queue.
class RadixCache {
 public:
  /// InputError when page_size (tokens a page) is 0.
  explicit RadixCache(std::uint32_t page_size, EvictionUnit unit = EvictionUnit::node);
  RadixCache(const RadixCache&) = delete;
  RadixCache& operator=(const RadixCache&) = delete;

  /// The longest prefix of `tokens` in the tree, in whole pages. `scope`: see tagged(); only sequences that were
  /// inserted under the same scope match. One token of a prompt must be computed to get logits, so give all but its
  /// last.
  RadixMatch match(std::span<const TokenId> tokens, std::string_view scope = {});
  /// The blocks that match() would find, while nothing changes.
  std::vector<BlockId> peek(std::span<const TokenId> tokens, std::string_view scope = {}) const;
  /// Keeps the whole pages of `tokens`, block i for page i; of those pages that are new the tree owns the blocks from
  /// now on. MisuseError when there are fewer blocks than whole pages.
  RadixInsertion insert(std::span<const TokenId> tokens, std::span<const BlockId> blocks, std::string_view scope = {});

  /// While a node is locked, neither it nor its ancestors are evicted. Locks are counted.
  void lock(NodeId node);
  void unlock(NodeId node);  ///< MisuseError when the node has no lock
  /// Removes least recently used leaves without a lock until `tokens` tokens are free or nothing is evictable.
  RadixEviction evict(std::uint64_t tokens);

  std::uint32_t page_size() const { return page_size_; }
  static NodeId root() { return NodeId{0}; }
  std::uint64_t evictable_tokens() const { return evictable_tokens_; }
  std::uint64_t protected_tokens() const { return protected_tokens_; }
  std::size_t num_nodes() const;  ///< without the root
  std::uint32_t locks(NodeId node) const;
  NodeId parent(NodeId node) const;  ///< MisuseError for the root
  /// Bytes of all token and block lists, reserved ones too: what a tree that forgets to let go of memory shows.
  std::size_t list_bytes() const;

  /// "[1,2]x1{[3]x1, [4,5]} | evictable 2, protected 3": children in braces, sorted by their tokens, x locks.
  /// A scope stands before the nodes below the root: "salt=1:a,[1,2]".
  std::string show() const;
  /// One sentence for each thing that is wrong with the tree; empty when all invariants hold. O(tree).
  std::vector<std::string> violations() const;

 private:
  static constexpr NodeId kNone{UINT32_MAX};

  struct Node {
    NodeId parent = kNone;  ///< none: the root, or an id that is not in use
    std::uint32_t num_children = 0;
    std::uint32_t locks = 0;      ///< of the node and of all below it
    std::vector<TokenId> tokens;  ///< on the edge from the parent: whole pages
    std::vector<BlockId> blocks;  ///< [tokens / page_size]
    std::string scope;            ///< of a child of the root; the path carries it on
    NodeId older = kNone;         ///< neighbours in the list of nodes without a lock
    NodeId newer = kNone;
  };
  /// How a child is found: by its parent and its first page.
  struct Edge {
    NodeId parent{};
    std::string_view scope;
    std::span<const TokenId> page;
  };
  struct EdgeHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
    const RadixCache* cache;
    std::size_t operator()(const Edge& edge) const;
    std::size_t operator()(NodeId node) const { return (*this)(cache->edge_to(node)); }
  };
  struct EdgeEqual {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
    const RadixCache* cache;
    bool operator()(const Edge& a, const Edge& b) const;
    bool operator()(NodeId a, NodeId b) const { return a == b; }
    bool operator()(const Edge& a, NodeId b) const { return (*this)(a, cache->edge_to(b)); }
    bool operator()(NodeId a, const Edge& b) const { return (*this)(cache->edge_to(a), b); }
  };
  struct Path {
    NodeId end = root();
    std::size_t num_tokens = 0;
    std::optional<RadixSplit> split;
  };

  Node& at(NodeId id) { return nodes_[index(id)]; }
  const Node& at(NodeId id) const { return nodes_[index(id)]; }
  const Node& must_find(NodeId id) const;
  Edge edge_to(NodeId child) const;
  std::span<const TokenId> whole_pages(std::span<const TokenId> tokens) const;
  std::size_t common_tokens(const Node& node, std::span<const TokenId> tokens) const;

  std::optional<NodeId> child_with(NodeId parent, std::string_view scope, std::span<const TokenId> rest) const;
  Path walk(std::span<const TokenId> tokens, std::string_view scope);
  RadixSplit split(NodeId lower, std::size_t upper_tokens);
  NodeId add_leaf(NodeId parent, std::span<const TokenId> tokens, std::span<const BlockId> blocks,
                  std::string_view scope);
  void remove_node(NodeId node);
  void orphan_children(NodeId node);
  void trim_leaf(NodeId leaf, std::size_t kept_pages);
  NodeId new_node();
  void use(NodeId node);
  void use_path(NodeId end);
  void use_path_from_root(NodeId end);
  void append_newest(NodeId node);
  void unlink(NodeId node);

  std::vector<std::vector<NodeId>> children() const;
  std::string show(NodeId node, const std::vector<std::vector<NodeId>>& children) const;
  void check_list(std::vector<std::string>& wrong) const;
  void check_nodes(std::vector<std::string>& wrong) const;
  void check_sizes(std::vector<std::string>& wrong) const;

  std::uint32_t page_size_;
  EvictionUnit unit_;
  std::deque<Node> nodes_;  ///< by NodeId; the root first
  std::vector<NodeId> unused_ids_;
  std::unordered_set<NodeId, EdgeHash, EdgeEqual> edges_;  ///< every node but the root
  NodeId oldest_ = kNone;
  NodeId newest_ = kNone;
  std::uint64_t evictable_tokens_ = 0;
  std::uint64_t protected_tokens_ = 0;
};

}  // namespace kvarium
