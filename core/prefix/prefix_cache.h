#pragma once
// The interface of a prefix cache: K and V that earlier requests left behind, found by the text that they belong to.
// Three of them: none at all, vLLM's hash of each full block, and SGLang's radix tree.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/block_table.h"
#include "core/ids.h"
#include "core/prefix/extra_keys.h"
#include "core/trace/event.h"

namespace kvarium {

struct PrefixHit {
  std::vector<BlockId> blocks;   ///< the first blocks of the request's table
  std::uint32_t num_tokens = 0;  ///< whose K and V need not be computed
};

/// One request's dealings with the cache, from its arrival to its end. In this order, and from the start again after a
/// preemption: look_up() as often as one likes, start(), publish() after each of its steps, leave(); then its table
/// gives its blocks back.
class PrefixRequest {
 public:
  PrefixRequest() = default;
  PrefixRequest(const PrefixRequest&) = delete;
  PrefixRequest& operator=(const PrefixRequest&) = delete;
  virtual ~PrefixRequest() = default;

  /// `tokens`: all that the request has. The longest beginning that is cached, in whole blocks; at least one token is
  /// left to compute, because only computing gives logits. Changes nothing.
  virtual PrefixHit look_up(std::span<const TokenId> tokens) const = 0;
  /// The request is admitted: its empty table takes the blocks that look_up() finds.
  virtual void start(BlockTable& table, std::span<const TokenId> tokens) = 0;
  /// K and V of `computed`, the request's first tokens, are in its table's blocks: whole blocks can be found from now
  /// on. `phase`: of the step that computed the last of them.
  virtual void publish(BlockTable& table, std::span<const TokenId> computed, Phase phase) = 0;
  /// The table is about to give its blocks back. `finished`: what it computed may be kept (false after an abort or for
  /// a preemption, when the room is needed at once).
  virtual void leave(BlockTable& table, std::span<const TokenId> computed, bool finished) = 0;
  /// For a fork, which has the same tokens and is about to share all blocks of this request's table. K and V of
  /// `computed` are in it.
  virtual std::unique_ptr<PrefixRequest> fork(RequestId child, BlockTable& table,
                                              std::span<const TokenId> computed) = 0;
};

class PrefixCache {
 public:
  PrefixCache() = default;
  PrefixCache(const PrefixCache&) = delete;
  PrefixCache& operator=(const PrefixCache&) = delete;
  virtual ~PrefixCache() = default;

  virtual std::unique_ptr<PrefixRequest> arrive(RequestId request, const ExtraKeys& keys) = 0;

  /// Blocks that can be handed out: the free ones, and those that only the cache holds.
  virtual std::size_t num_available() const = 0;
  /// References that the cache itself has to the block: when there are no others, the block is available.
  virtual std::uint32_t own_references(BlockId) const { return 0; }
  /// Evicts until `blocks` blocks are free or nothing is evictable.
  virtual void make_room(std::size_t) {}
  /// It is `now_ns` nanoseconds since the start.
  virtual void pass_time(std::uint64_t) {}
  /// Forgets everything. False, nothing done, while any request holds a block.
  [[nodiscard]] virtual bool reset() { return true; }

  /// The state in one line; empty for a cache that has none.
  virtual std::string show() const { return {}; }
  /// One sentence for each thing that is wrong.
  virtual std::vector<std::string> violations() const { return {}; }
};

/// No prefix is ever found.
std::unique_ptr<PrefixCache> no_prefix_cache(const BlockPool& pool);

}  // namespace kvarium
