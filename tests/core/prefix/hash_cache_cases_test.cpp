// Faults that were reported of prefix caches, each as a small input. The ids are those of the reports' list.

#include <map>

#include "core/error.h"
#include "core/eviction/policies.h"
#include "tests/core/prefix/hash_server.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1};

ServerOptions eight_bits(bool verify) { return {{QueueOrder::head_2026, verify}, 8}; }

/// The first two prompts of a full block and one token, other than in their last token, whose hashes of 8 bits agree.
std::pair<std::vector<TokenId>, std::vector<TokenId>> colliding_prompts() {
  const BlockHasher hasher(4, 8);
  std::map<std::uint64_t, std::int32_t> seen;
  for (std::int32_t first = 0;; first += 4) {
    const auto [place, is_new] = seen.try_emplace(hasher.hashes(token_range(first, 4))[0].low, first);
    if (!is_new) return {token_range(place->second, 4) + tokens({-1}), token_range(first, 4) + tokens({-1})};
  }
}

}  // namespace

TEST_CASE("case B01: a prompt that is cached whole never writes into a cached block") {
  HashServer server(10);
  server.start(token_range(0, 8));
  server.finish(kA);
  CHECK(server.find(token_range(0, 8)).num_tokens == 4);
  const std::size_t before = server.sink.events.size();
  server.start(token_range(0, 8));
  CHECK(server.table(kB) == blocks({0, 2}));
  std::vector<KvComputed> computed;
  for (std::size_t i = before; i < server.sink.events.size(); ++i) {
    if (const auto* e = std::get_if<KvComputed>(&server.sink.events[i])) computed.push_back(*e);
  }
  CHECK(computed == std::vector<KvComputed>{{kB, 4, 4, Phase::prefill, true}});  // into block 2, and not into block 1
}

TEST_CASE("case B02: at least one token is left to compute, whatever the prompt's length") {
  for (std::int32_t length = 1; length <= 17; ++length) {
    HashServer server(10);
    server.start(token_range(0, length));
    CHECK(server.find(token_range(0, length)).num_tokens < static_cast<std::uint32_t>(length));
  }
}

TEST_CASE("case B06: what a preempted request finds again does not count as a hit of the cache") {
  HashServer server(10);
  server.start(token_range(0, 8));
  server.start(token_range(100, 7));
  const PrefixCounts before = server.sink.world.prefix;
  CHECK(before == PrefixCounts{15, 0});
  server.preempt(kB);
  server.resume(kB);
  CHECK(server.sink.world.prefix == before);
  CHECK(server.sink.world.resumed_prefix == PrefixCounts{7, 4});
}

TEST_CASE("case B07: a request that is looked up until it fits counts once") {
  HashServer server(4);
  server.start(token_range(0, 12));
  const std::vector<TokenId> prompt = token_range(0, 8) + token_range(50, 9);
  for (int step = 0; step < 2; ++step) CHECK_FALSE(server.start(prompt).has_value());
  CHECK(server.sink.world.prefix == PrefixCounts{12, 0});
  const std::vector<TokenId> shorter = token_range(0, 8) + token_range(50, 4);
  REQUIRE(server.start(shorter).has_value());
  CHECK(server.sink.world.prefix == PrefixCounts{12 + 12, 8});
}

TEST_CASE("case B10: two tables that let go of a block free it once") {
  HashServer server(3);
  server.start(token_range(0, 5));
  server.start(token_range(0, 5));
  CHECK(server.pool.show() == "free | used 0x2 1x1 2x1");
  server.pool.release(kB, BlockId{2});
  server.pool.release(kB, BlockId{0});
  CHECK(server.pool.num_free() == 1);
  server.pool.release(kA, BlockId{1});
  server.pool.release(kA, BlockId{0});
  CHECK(server.pool.num_free() == 3);
  CHECK_THROWS_AS(server.pool.release(kA, BlockId{0}), MisuseError);
  CHECK(server.free() == "free 1 2 0");
}

TEST_CASE("case B25: twins do not replace each other, and the name finds one whichever is evicted") {
  HashServer server(10);
  server.start(token_range(0, 6));
  server.start(token_range(0, 6));
  for (const std::int32_t token : {6, 7}) {
    server.decode(kA, token);
    server.decode(kB, token);
  }
  CHECK(server.cache.show() == "cached 0 1 2=1");
  CHECK(server.cache.num_hashes() == 2);
}

TEST_CASE("case B26: evicting one of two twins leaves the other; with the last one the name goes") {
  HashServer server(4, classic());
  server.start(token_range(0, 8));
  server.finish(kA);
  server.start(token_range(0, 8));  // [0,2]: 2 is a twin of 1
  server.finish(kB);
  CHECK(server.free() == "free 3 1 2 0");
  server.start(token_range(50, 8));  // takes 3 and 1
  CHECK(server.cache.show() == "cached 0 1 2 3");
  CHECK(server.find(token_range(0, 9)).blocks == blocks({0, 2}));
  CHECK(server.cache.num_hashes() == 4);
  server.start(token_range(70, 4));  // takes 2
  CHECK(server.find(token_range(0, 9)).blocks == blocks({0}));
  CHECK(server.cache.num_hashes() == 4);
}

TEST_CASE("case B27: of a free chain the last block is handed out first") {
  HashServer server(3);
  server.start(token_range(0, 12));
  server.finish(kA);
  server.start(token_range(50, 12));
  CHECK(server.table(kB) == blocks({2, 1, 0}));
}

TEST_CASE("case B30: a block that was handed out again is not found by its old hash") {
  HashServer server(1);
  server.start(token_range(0, 4));
  server.finish(kA);
  CHECK(server.find(token_range(0, 5)).num_tokens == 4);
  server.start(token_range(9, 4));
  CHECK(server.find(token_range(0, 5)).num_tokens == 0);
  CHECK(server.find(token_range(9, 5)).num_tokens == 4);
}

TEST_CASE("case B31: only blocks whose K and V are computed are found") {
  HashServer server(10);
  server.start_chunk(token_range(0, 8), 4);  // the budget of this step
  CHECK(server.find(token_range(0, 8) + tokens({8})).blocks == blocks({0}));
}

TEST_CASE("case B31 gone wrong: a block that is cached before it is computed is reported") {
  HashServer server(10);
  server.sink.emit(RequestArrived{kA, token_range(0, 8), 1});
  server.sink.emit(RequestAdmitted{kA});
  BlockTable table(server.pool, kA);
  REQUIRE(table.append(8));
  const std::vector<TokenId> eight = token_range(0, 8);
  const std::vector<BlockHash> hashes = server.hasher.hashes(eight);
  server.cache.cache_full_blocks(kA, table, {eight, hashes});
  CHECK(violations(server.sink.world).at(0) ==
        "Block 0 can be found by its hash, yet only 0 of its 4 slots are written.");
}

TEST_CASE("case B32: of two equal prompts in one step either may end first") {
  for (const bool first_ends : {true, false}) {
    HashServer server(6, classic());
    server.start_chunk(token_range(0, 8), 0);
    server.start_chunk(token_range(0, 8), 0);
    for (const RequestId id : {kA, kB}) {  // both were looked up before either was computed
      REQUIRE(server.of(id).table.append(8));
      server.sink.emit(KvComputed{id, 0, 8, Phase::prefill, true});
      server.cache_blocks(server.of(id));
    }
    CHECK(server.cache.show() == "cached 0 1 2=0 3=1");
    server.finish(first_ends ? kA : kB);
    server.start(token_range(50, 16));  // takes the two blocks that never were, and the two that were given back
    CHECK(server.find(token_range(0, 9)).blocks == (first_ends ? blocks({2, 3}) : blocks({0, 1})));
  }
}

TEST_CASE("case B40: with hashes of 8 bits another's K and V are served, unless tokens are verified") {
  const auto [victim, attacker] = colliding_prompts();
  CHECK(victim != attacker);
  HashServer poisoned(10, eight_bits(false));
  poisoned.start(attacker);
  CHECK(poisoned.find(victim).num_tokens == 4);

  HashServer safe(10, eight_bits(true));
  safe.start(attacker);
  CHECK(safe.find(victim).num_tokens == 0);
  CHECK(safe.find(attacker).num_tokens == 4);
  safe.start(victim);
  CHECK(safe.cache.show() == "cached 0 2=0");  // one hash, two contents
  CHECK(safe.find(victim).blocks == blocks({2}));
  CHECK(safe.find(attacker).blocks == blocks({0}));
}

TEST_CASE("case B40, one block later: the same tokens after a collision are no hit either") {
  const auto [victim, attacker] = colliding_prompts();
  const auto longer = [](std::vector<TokenId> prompt) {
    prompt.pop_back();
    return prompt + token_range(500, 5);
  };
  HashServer safe(10, eight_bits(true));
  safe.start(longer(attacker));
  safe.start(victim);
  // The victim's own first block is found. The attacker's second has the right tokens and the right hash, and the wrong
  // past.
  CHECK(safe.find(longer(victim)).num_tokens == 4);
  HashServer poisoned(10, eight_bits(false));
  poisoned.start(longer(attacker));
  CHECK(poisoned.find(longer(victim)).num_tokens == 8);
}

TEST_CASE("verification finds what it should, also for salts, adapters and images") {
  HashServer server(20, {{QueueOrder::head_2026, true}});
  const ExtraKeys keys{"salt", Adapter{"x", 1}, {{"cat", 2, 4}}};
  const ExtraKeys dog{"salt", Adapter{"x", 1}, {{"dog", 2, 4}}};
  server.start(token_range(0, 13), keys);
  CHECK(server.find(token_range(0, 13), keys).num_tokens == 12);
  CHECK(server.find(token_range(0, 13), dog).num_tokens == 0);
  CHECK(server.find(token_range(0, 13)).num_tokens == 0);
  server.start(token_range(0, 13), keys);
  CHECK(server.pool.ref_count(BlockId{2}) == 2);
}

TEST_CASE("with verification, a block that is computed again finds the block behind it, cached all the time") {
  HashCacheOptions options{QueueOrder::head_2026, true};
  options.policy = &find_eviction_policy("fifo");  // takes the first block of a prompt first
  HashServer server(3, {options});
  server.start(token_range(0, 8));
  server.finish(kA);
  CHECK(server.cache.show() == "cached 0 1");
  server.start(token_range(50, 5));  // needs two blocks: the one that is empty, and block 0
  server.finish(kB);
  CHECK(server.find(token_range(0, 9)).num_tokens == 0);
  const auto again = server.start(token_range(0, 4));
  REQUIRE(again.has_value());
  server.finish(*again);
  const std::vector<BlockId> found = server.find(token_range(0, 9)).blocks;
  REQUIRE(found.size() == 2);
  CHECK(found[1] == BlockId{1});
}

TEST_CASE("with verification, blocks that expired or were forgotten are found again once they are computed again") {
  HashCacheOptions options{QueueOrder::head_2026, true};
  options.time_to_live_ns = 10;
  HashServer server(6, {options});
  server.start(token_range(0, 9));
  server.finish(kA);
  server.cache.pass_time(20);
  CHECK(server.cache.show() == "cached");
  server.start(token_range(0, 9));
  server.finish(kB);
  CHECK(server.find(token_range(0, 9)).num_tokens == 8);
  REQUIRE(server.cache.reset());
  CHECK(server.find(token_range(0, 9)).num_tokens == 0);
  server.start(token_range(0, 9));
  CHECK(server.find(token_range(0, 9)).num_tokens == 8);
}

TEST_CASE("equal content has one name while a block holds it or follows it, and a salt only while a block has it") {
  ContentCheck contents(4);
  const std::vector<TokenId> head = token_range(0, 4), tail = token_range(4, 4);
  contents.remember_first(BlockId{0}, "s", head, "");
  contents.remember(BlockId{1}, BlockId{0}, tail, "");
  const ContentId name = contents.content_of(BlockId{0});
  contents.forget(BlockId{0});
  contents.remember_first(BlockId{2}, "s", head, "");
  CHECK(contents.content_of(BlockId{2}) == name);
  CHECK(contents.matches(BlockId{1}, name, tail, ""));
  contents.remember_first(BlockId{3}, "s", head, "cat");
  CHECK(contents.content_of(BlockId{3}) != name);
  for (const std::uint32_t id : {2U, 3U}) contents.forget(BlockId{id});
  CHECK(contents.root("s").has_value());  // block 1 is still behind it
  contents.forget(BlockId{1});
  CHECK_FALSE(contents.root("s").has_value());
  contents.remember_first(BlockId{0}, "t", head, "");
  contents.clear();
  CHECK_FALSE(contents.root("t").has_value());
}

TEST_CASE("cases B46, B47 and B55: another adapter, another of the same name, or none: no hit") {
  HashServer server(10);
  const auto lora = [](std::string name, std::uint64_t id) { return ExtraKeys{{}, Adapter{std::move(name), id}, {}}; };
  server.start(token_range(0, 9), lora("x", 1));
  CHECK(server.find(token_range(0, 9), lora("x", 1)).num_tokens == 8);
  CHECK(server.find(token_range(0, 9), lora("y", 1)).num_tokens == 0);
  CHECK(server.find(token_range(0, 9), lora("x", 2)).num_tokens == 0);
  CHECK(server.find(token_range(0, 9)).num_tokens == 0);
}

TEST_CASE("case B50: the salt X and the adapter X do not find each other's blocks") {
  const ExtraKeys salt{"X", {}, {}}, adapter{{}, Adapter{"X", 0}, {}};
  HashServer server(10);
  server.start(token_range(0, 5), salt);
  CHECK(server.find(token_range(0, 5), adapter).num_tokens == 0);
  server.start(token_range(10, 5), adapter);
  CHECK(server.find(token_range(10, 5), salt).num_tokens == 0);
}
