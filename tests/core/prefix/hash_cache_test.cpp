// vLLM's own traces E1 to E10, run with its code, with blocks of 4 tokens. vLLM keeps its block 0 as a placeholder, and
// Kvarium has none: a pool of N blocks there is one of N - 1 here, and every id is one less.

#include "core/prefix/hash_cache.h"

#include "core/error.h"
#include "tests/core/prefix/hash_server.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

}  // namespace

TEST_CASE("trace E1: three prompts, and where their blocks wait") {
  const bool is_classic = GENERATE(true, false);
  HashServer server(10, is_classic ? classic() : head_2026());
  server.start(token_range(0, 15));
  CHECK(server.table(kA) == blocks({0, 1, 2, 3}));
  CHECK(server.cache.show() == "cached 0 1 2");
  CHECK(server.free() == "free 4 5 6 7 8 9");
  server.decode(kA, 100);
  CHECK(server.cache.show() == "cached 0 1 2 3");
  server.decode(kA, 101);
  CHECK(server.free() == "free 5 6 7 8 9");

  const std::vector<TokenId> r1 = token_range(0, 10) + token_range(50, 4);
  CHECK(server.find(r1).num_tokens == 8);
  server.start(r1);
  CHECK(server.table(kB) == blocks({0, 1, 5, 6}));
  CHECK(server.pool.show() == "free 7 8 9 | used 0x2 1x2 2x1 3x1 4x1 5x1 6x1");

  server.finish(kA);
  CHECK(server.free() == (is_classic ? "free 7 8 9 4 3 2" : "free 4 7 8 9 3 2"));
  server.finish(kB);
  CHECK(server.free() == (is_classic ? "free 7 8 9 4 3 2 6 5 1 0" : "free 6 4 7 8 9 3 2 5 1 0"));

  const std::vector<TokenId> r2 = token_range(0, 12) + token_range(200, 17);
  CHECK(server.find(r2).num_tokens == 12);
  server.start(r2);
  CHECK(server.table(kC) == (is_classic ? blocks({0, 1, 2, 7, 8, 9, 4, 3}) : blocks({0, 1, 2, 6, 4, 7, 8, 9})));
  CHECK(server.free() == (is_classic ? "free 6 5" : "free 3 5"));
  CHECK(server.cache.show() == (is_classic ? "cached 0 1 2 4 5 7 8 9" : "cached 0 1 2 3 4 5 6 7 8"));
}

TEST_CASE("trace E2: of a prompt that is cached whole, the last block is computed again, into a twin") {
  HashServer server(10);
  server.start(token_range(0, 8));
  server.finish(kA);
  CHECK(server.free() == "free 2 3 4 5 6 7 8 9 1 0");
  CHECK(server.find(token_range(0, 8)).blocks == blocks({0}));
  server.start(token_range(0, 8));
  CHECK(server.table(kB) == blocks({0, 2}));
  CHECK(server.cache.show() == "cached 0 1 2=1");
  CHECK(server.free() == "free 3 4 5 6 7 8 9 1");
  CHECK(server.find(token_range(0, 9)).blocks == blocks({0, 1}));
}

TEST_CASE("trace E3: a request may hit what another computes earlier in the same step") {
  HashServer server(10);
  server.start(token_range(0, 8));
  server.start(token_range(0, 8) + tokens({9}));
  CHECK(server.table(kB) == blocks({0, 1, 2}));
  CHECK(server.pool.show() == "free 3 4 5 6 7 8 9 | used 0x2 1x2 2x1");
}

TEST_CASE("trace E4: what one salt cached, no other finds") {
  HashServer server(10);
  const ExtraKeys s1{"s1", {}, {}}, s2{"s2", {}, {}};
  server.start(token_range(0, 9), s1);
  CHECK(server.find(token_range(0, 9), s1).num_tokens == 8);
  CHECK(server.find(token_range(0, 9), s2).num_tokens == 0);
  CHECK(server.find(token_range(0, 9)).num_tokens == 0);
}

TEST_CASE("trace E5: a hit on a free block takes a block from the free queue too") {
  HashServer server(4);
  server.start(token_range(0, 16));
  server.finish(kA);
  CHECK(server.free() == "free 3 2 1 0");
  const std::vector<TokenId> b = token_range(0, 12) + token_range(90, 5);
  CHECK(server.find(b).num_tokens == 12);
  CHECK_FALSE(server.start(b).has_value());  // 2 new + 3 that are free and hit = 5 > 4
  CHECK(server.free() == "free 3 2 1 0");
  CHECK(server.cache.fits(server.find(b), 1));
}

TEST_CASE("trace E6: drafts are never cached; what is accepted is, once its block is full") {
  HashServer server(10);
  server.start(token_range(0, 6));
  CHECK(server.cache.show() == "cached 0");
  HashServer::Live& live = server.of(kA);
  const auto accepted = [&](std::initializer_list<std::int32_t> ids) {
    for (const std::int32_t id : ids) {
      server.sink.emit(TokenSampled{kA, static_cast<std::uint32_t>(live.tokens.size()), TokenId{id}});
      live.tokens.push_back(TokenId{id});
    }
  };
  accepted({60});
  REQUIRE(live.table.append(4));  // the token and 3 drafts
  CHECK(server.table(kA) == blocks({0, 1, 2}));
  server.hasher.extend(live.hashes, live.tokens);
  server.cache.cache_full_blocks(kA, live.table, {live.tokens, live.hashes});
  CHECK(server.cache.show() == "cached 0");

  accepted({61, 62});  // one draft and the token after it: 8 of 10 positions are valid
  live.table.rollback_to(8);
  server.sink.emit(KvComputed{kA, 6, 2, Phase::decode, true});
  // vLLM keeps the third block in the table; here a block without a valid token returns, to be taken again at once.
  CHECK(server.table(kA) == blocks({0, 1}));
  CHECK(server.free() == "free 2 3 4 5 6 7 8 9");
  REQUIRE(live.table.append(4));
  CHECK(server.table(kA) == blocks({0, 1, 2}));
  server.hasher.extend(live.hashes, live.tokens);
  server.cache.cache_full_blocks(kA, live.table, {live.tokens, live.hashes});
  CHECK(server.cache.show() == "cached 0 1");
}

TEST_CASE("trace E7: twins are kept apart, and one name finds the first of them") {
  HashServer server(10);
  server.start(token_range(0, 6));
  server.decode(kA, 6);
  server.decode(kA, 7);
  CHECK(server.cache.show() == "cached 0 1");
  server.start(token_range(0, 6));
  CHECK(server.table(kB) == blocks({0, 2}));
  server.decode(kB, 6);
  server.decode(kB, 7);
  CHECK(server.cache.show() == "cached 0 1 2=1");
  CHECK(server.cache.num_hashes() == 2);
  CHECK(server.cache.num_cached() == 3);

  server.start(token_range(0, 9));
  CHECK(server.table(kC) == blocks({0, 1, 3}));
  server.finish(kA);
  CHECK(server.free() == "free 4 5 6 7 8 9");
  server.finish(kB);
  server.finish(kC);
  CHECK(server.free() == "free 3 4 5 6 7 8 9 2 1 0");
}

TEST_CASE("trace E8: a preempted request finds its own blocks again, and computes the rest") {
  const bool is_classic = GENERATE(true, false);
  HashServer server(6, is_classic ? classic() : head_2026());
  server.start(token_range(0, 10));
  CHECK(server.free() == "free 3 4 5");
  server.preempt(kA);
  CHECK(server.free() == (is_classic ? "free 3 4 5 2 1 0" : "free 2 3 4 5 1 0"));
  for (std::int32_t id = 10; id < 13; ++id) {  // tokens that it had generated
    server.sink.emit(TokenSampled{kA, static_cast<std::uint32_t>(id), TokenId{id}});
    server.of(kA).tokens.push_back(TokenId{id});
  }
  server.resume(kA);
  CHECK(server.table(kA) == (is_classic ? blocks({0, 1, 3, 4}) : blocks({0, 1, 2, 3})));
}

TEST_CASE("trace E9: the cache is emptied only when nobody holds a block, and the queue keeps its order") {
  HashServer server(10);
  server.start(token_range(0, 9));
  CHECK_FALSE(server.cache.reset());
  CHECK(server.cache.show() == "cached 0 1");
  server.finish(kA);
  CHECK(server.cache.reset());
  server.check();
  CHECK(server.cache.show() == "cached");
  CHECK(server.free() == "free 2 3 4 5 6 7 8 9 1 0");
  CHECK(server.find(token_range(0, 9)).num_tokens == 0);
}

TEST_CASE("trace E10: several blocks that nobody can find go to the head of the queue together, in order") {
  HashServer server(6);
  BlockTable table(server.pool, kA);  // nothing of it is cached
  server.sink.emit(RequestArrived{kA, token_range(0, 10), 1});
  REQUIRE(table.append(10));
  table.release();
  CHECK(server.free() == "free 2 1 0 3 4 5");
  CHECK(show_pool(server.sink.world) == server.pool.show());
}

TEST_CASE("eviction is announced before the block is handed out, the tail of a prompt first") {
  HashServer server(5);
  server.start(token_range(0, 9));
  server.finish(kA);
  const std::size_t before = server.sink.events.size();
  server.start(token_range(50, 20));
  std::string story;
  for (std::size_t i = before; i < server.sink.events.size(); ++i) {
    const Event& event = server.sink.events[i];
    if (const auto* evicted = std::get_if<BlockEvicted>(&event)) story += " -" + std::to_string(value(evicted->block));
    if (const auto* taken = std::get_if<BlockAllocated>(&event)) story += " " + std::to_string(value(taken->block));
    if (const auto* cached = std::get_if<BlockCached>(&event)) story += " +" + std::to_string(value(cached->block));
  }
  CHECK(story == " 2 3 4 -1 1 -0 0 +2 +3 +4 +1 +0");
}

TEST_CASE("without a keeper every block returns to the tail, and the cache takes its leave") {
  NullSink sink;
  BlockPool pool(4, ascending_order(3), sink);
  { const HashCache cache(pool); }
  BlockTable table(pool, kA);
  REQUIRE(table.append(8));
  table.release();
  CHECK(pool.show() == "free 2 1 0 | used");
}

TEST_CASE("misuse of the cache is refused and changes nothing") {
  HashServer server(4);
  server.start(token_range(0, 4));
  const std::vector<BlockHash> hashes = server.hasher.hashes(token_range(0, 8));
  const std::vector<TokenId> eight = token_range(0, 8);
  CHECK_THROWS_WITH(server.cache.cache_full_blocks(kA, server.of(kA).table, {eight, hashes}),
                    "2 full blocks of tokens, but the table has 1 blocks");
  CHECK_THROWS_WITH(server.of(kA).table.adopt(blocks({0})),
                    "only an empty table can adopt blocks: this one holds [0] 4 tokens");
  CHECK_THROWS_AS(server.pool.touch(kA, BlockId{9}), MisuseError);
  server.check();
  CHECK(server.find({}).num_tokens == 0);
}
