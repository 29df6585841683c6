#pragma once
// What an engine does with the hash cache, without a model: requests start, get tokens, are preempted and end. After
// each action the world that is folded from the events must be sound and must agree with the pool, the tables and the
// cache.

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/prefix/block_hash.h"
#include "core/prefix/hash_cache.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

namespace kvarium_test {

/// Folds each event at once, and keeps it.
class FoldingSink : public EventSink {
 public:
  void emit(Event event) override {
    fold(world, event);
    if (on_event) on_event(event);
    events.push_back(std::move(event));
  }
  World world;
  std::vector<Event> events;
  std::function<void(const Event&)> on_event;
};

struct ServerOptions {
  HashCacheOptions cache = {};
  unsigned hash_bits = 128;
  std::uint32_t block_size = 4;
};

class HashServer {
 public:
  explicit HashServer(std::uint32_t num_blocks, ServerOptions options = {})
      : hasher(options.block_size, options.hash_bits),
        pool(options.block_size, ascending_order(num_blocks), sink),
        cache(pool, options.cache) {}

  PrefixHit find(const std::vector<TokenId>& tokens, const ExtraKeys& keys = {}) const {
    const std::vector<BlockHash> hashes = hasher.hashes(tokens, keys);
    return cache.find({tokens, hashes, &keys});
  }

  /// All of the prompt is computed, except what is found. Nothing, and nothing changes, when it does not fit.
  std::optional<RequestId> start(const std::vector<TokenId>& prompt, const ExtraKeys& keys = {}) {
    return start_chunk(prompt, static_cast<std::uint32_t>(prompt.size()), keys);
  }
  /// Only `count` tokens of the prompt are computed; those that are found count as well.
  std::optional<RequestId> start_chunk(const std::vector<TokenId>& prompt, std::uint32_t count,
                                       const ExtraKeys& keys = {}) {
    const PrefixHit hit = find(prompt, keys);
    if (!cache.fits(hit, blocks_for(prompt.size()) - hit.blocks.size())) return std::nullopt;
    const RequestId id{static_cast<std::uint32_t>(requests.size())};
    requests.emplace_back(id, pool, prompt, keys);
    sink.emit(RequestArrived{id, prompt, 1000, tagged(keys)});
    sink.emit(RequestAdmitted{id});
    compute(requests.back(), hit, count);
    return id;
  }
  /// One more token, computed at once.
  void decode(RequestId id, std::int32_t token) {
    Live& live = of(id);
    const auto position = static_cast<std::uint32_t>(live.tokens.size());
    live.tokens.push_back(TokenId{token});
    sink.emit(TokenSampled{id, position, TokenId{token}});
    REQUIRE(live.table.append(1));
    sink.emit(KvComputed{id, position, 1, Phase::decode, true});
    cache_blocks(live);
    check();
  }
  void finish(RequestId id) {
    of(id).table.release();
    sink.emit(RequestFinished{id, FinishReason::max_tokens});
    check();
  }
  void preempt(RequestId id) {
    const std::uint32_t lost = of(id).table.num_tokens();
    of(id).table.release();
    sink.emit(RequestPreempted{id, lost});
    check();
  }
  void resume(RequestId id) {
    Live& live = of(id);
    const PrefixHit hit = find(live.tokens, live.keys);
    REQUIRE(cache.fits(hit, blocks_for(live.tokens.size()) - hit.blocks.size()));
    sink.emit(RequestAdmitted{id});
    compute(live, hit, static_cast<std::uint32_t>(live.tokens.size()));
  }

  std::vector<BlockId> table(RequestId id) { return of(id).table.blocks(); }
  std::string free() const {
    const std::string text = pool.show();
    return text.substr(0, text.find(" |"));
  }

  void check() const {
    CHECK(violations(sink.world) == std::vector<std::string>{});
    CHECK(cache.violations() == std::vector<std::string>{});
    CHECK(show_pool(sink.world) == pool.show());
    for (const Live& live : requests) CHECK(sink.world.request(live.id).table == live.table.blocks());
    for (std::uint32_t id = 0; id < pool.num_blocks(); ++id) {
      CHECK(sink.world.blocks[id].hash == cache.hash_of(BlockId{id}));
    }
  }

  struct Live {
    Live(RequestId request, BlockPool& blocks_of, std::vector<TokenId> prompt, ExtraKeys extra)
        : id(request), tokens(std::move(prompt)), keys(std::move(extra)), table(blocks_of, request) {}
    RequestId id;
    std::vector<TokenId> tokens;
    ExtraKeys keys;
    std::vector<BlockHash> hashes = {};
    BlockTable table;
  };
  Live& of(RequestId id) { return requests[index(id)]; }
  std::size_t blocks_for(std::size_t tokens) const { return (tokens + pool.block_size() - 1) / pool.block_size(); }
  void cache_blocks(Live& live) {
    hasher.extend(live.hashes, live.tokens, live.keys);
    const auto computed = std::span(live.tokens).first(live.table.num_tokens());
    cache.cache_full_blocks(live.id, live.table, {computed, live.hashes, &live.keys});
  }
  void compute(Live& live, const PrefixHit& hit, std::uint32_t count) {
    cache.adopt(live.table, live.id, hit, static_cast<std::uint32_t>(live.tokens.size()));
    if (count > hit.num_tokens) {
      REQUIRE(live.table.append(count - hit.num_tokens));
      sink.emit(KvComputed{live.id, hit.num_tokens, count - hit.num_tokens, Phase::prefill, true});
    }
    cache_blocks(live);
    check();
  }

  FoldingSink sink;
  BlockHasher hasher;
  BlockPool pool;
  HashCache cache;
  std::deque<Live> requests;
};

/// The options of vLLM before June 2026, and since.
inline ServerOptions classic() { return {{QueueOrder::classic, false}}; }
inline ServerOptions head_2026() { return {{QueueOrder::head_2026, false}}; }

}  // namespace kvarium_test
