// Notation: "[tokens of a node]x<locks>{children} | evictable <tokens>, protected <tokens>". With page size 1 a block
// is one slot. What is named "SGLang" was run with SGLang's own code.

#include "core/prefix/radix_cache.h"

#include "core/error.h"
#include "core/prefix/extra_keys.h"
#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

using Sentences = std::vector<std::string>;

/// SGLang's example: three prompts that begin with 1 2.
struct Example {
  RadixCache cache{1};
  Example() {
    CHECK(cache.insert(tokens({1, 2, 3}), blocks({10, 11, 12})).num_present == 0);
    CHECK(cache.insert(tokens({1, 2, 4, 5}), blocks({20, 21, 22, 23})).num_present == 2);
  }
  void grow() { CHECK(cache.insert(tokens({1, 2, 4, 5, 6, 7}), block_range(30, 6)).num_present == 4); }
  ~Example() { CHECK(cache.violations() == Sentences{}); }
};

}  // namespace

TEST_CASE("SGLang: a prompt that branches off cuts a node in two, and gives only its new blocks to the tree") {
  Example example;
  CHECK(example.cache.show() == "[1,2]{[3], [4,5]} | evictable 5, protected 0");
  CHECK(example.cache.match(tokens({1, 2, 4, 5})).blocks == blocks({10, 11, 22, 23}));
  example.grow();
  CHECK(example.cache.show() == "[1,2]{[3], [4,5]{[6,7]}} | evictable 7, protected 0");
  CHECK(example.cache.match(tokens({1, 2, 4, 5, 6, 7})).blocks == blocks({10, 11, 22, 23, 34, 35}));
}

TEST_CASE("SGLang: a look-up cuts the node in which the match ends, and says so") {
  Example example;
  example.grow();
  const RadixMatch whole = example.cache.match(tokens({1, 2, 3, 13}));
  CHECK(whole.blocks == blocks({10, 11, 12}));
  CHECK(whole.split == std::nullopt);

  const RadixMatch part = example.cache.match(tokens({1, 2, 4, 9}));
  CHECK(part.blocks == blocks({10, 11, 22}));
  CHECK(part.num_tokens == 3);
  REQUIRE(part.split.has_value());
  CHECK(part.split->upper == part.node);
  CHECK(example.cache.show() == "[1,2]{[3], [4]{[5]{[6,7]}}} | evictable 7, protected 0");
}

TEST_CASE("SGLang: eviction takes leaves, the least recently used first, and spares what is locked") {
  Example example;
  example.grow();
  RadixCache& cache = example.cache;
  cache.match(tokens({1, 2, 3, 13}));
  const NodeId node = cache.match(tokens({1, 2, 4, 9})).node;
  cache.lock(node);
  CHECK(cache.show() == "[1,2]x1{[3], [4]x1{[5]{[6,7]}}} | evictable 4, protected 3");

  CHECK(cache.evict(3).blocks == blocks({34, 35, 12}));  // [6,7], then [3]: whole nodes
  CHECK(cache.evict(100).blocks == blocks({23}));        // [5]: the rest is locked
  CHECK(cache.show() == "[1,2]x1{[4]x1} | evictable 0, protected 3");
  cache.unlock(node);
  CHECK(cache.show() == "[1,2]{[4]} | evictable 3, protected 0");
  CHECK(cache.evict(1).blocks == blocks({22}));
  CHECK(cache.evict(100).blocks == blocks({10, 11}));
  CHECK(cache.show() == " | evictable 0, protected 0");
}

TEST_CASE("SGLang: a branch inside a locked path leaves the lock where it was") {
  RadixCache cache(1);
  const NodeId leaf = cache.insert(tokens({1, 2, 3, 4}), block_range(0, 4)).node;
  cache.lock(leaf);
  const RadixInsertion branch = cache.insert(tokens({1, 2, 9}), block_range(10, 3));
  CHECK(branch.num_present == 2);
  CHECK(cache.show() == "[1,2]x1{[3,4]x1, [9]} | evictable 1, protected 4");
  cache.unlock(leaf);
  CHECK(cache.show() == "[1,2]{[3,4], [9]} | evictable 5, protected 0");
  CHECK(cache.violations() == Sentences{});
}

TEST_CASE("SGLang: with pages of 4 tokens, prompts part at whole pages only") {
  RadixCache cache(4);
  CHECK(cache.insert(token_range(1, 8), blocks({0, 1})).num_present == 0);
  const RadixMatch seven = cache.match(token_range(1, 7));
  CHECK(seven.num_tokens == 4);
  CHECK(seven.blocks == blocks({0}));
  CHECK(seven.split.has_value());
  CHECK(cache.match(token_range(1, 3)).num_tokens == 0);
  CHECK(cache.match(tokens({1, 2, 3, 4, 5, 6, 9, 9})).num_tokens == 4);

  CHECK(cache.insert(tokens({1, 2, 9, 9}), blocks({2})).num_present == 0);
  CHECK(cache.show() == "[1,2,3,4]{[5,6,7,8]}, [1,2,9,9] | evictable 12, protected 0");

  RadixCache other(4);
  CHECK(other.insert(token_range(1, 6), blocks({0})).node != RadixCache::root());
  CHECK(other.show() == "[1,2,3,4] | evictable 4, protected 0");
}

TEST_CASE("SGLang: what is kept under one scope is not found under another") {
  RadixCache cache(1);
  const std::string a = tagged({.tenant_salt = "a", .adapter = {}, .media = {}});
  const std::string b = tagged({.tenant_salt = "b", .adapter = {}, .media = {}});
  cache.insert(tokens({1, 2, 3}), block_range(0, 3), a);
  CHECK(cache.match(tokens({1, 2, 3}), a).num_tokens == 3);
  CHECK(cache.match(tokens({1, 2, 3}), b).num_tokens == 0);
  CHECK(cache.match(tokens({1, 2, 3})).num_tokens == 0);
  CHECK(cache.insert(tokens({1, 2, 4}), block_range(3, 3), b).num_present == 0);
  CHECK(cache.insert(tokens({1, 5}), block_range(6, 2), a).num_present == 1);
  CHECK(cache.show() == "salt=1:a,[1]{[2,3], [5]}, salt=1:b,[1,2,4] | evictable 7, protected 0");
  CHECK(cache.violations() == Sentences{});
}

namespace {

/// Scenario S05: pages of 1 token, 16 slots, five prompts one after another.
struct SixteenSlots {
  RadixCache cache{1};
  std::vector<BlockId> free = block_range(0, 16);

  /// Hit tokens; `evicted` receives the slots that had to be taken back.
  std::uint32_t serve(const std::vector<TokenId>& prompt) {
    const RadixMatch hit = cache.match(prompt);
    cache.lock(hit.node);
    const std::size_t need = prompt.size() - hit.num_tokens;
    if (free.size() < need) {
      evicted = cache.evict(need - free.size()).blocks;
      free.insert(free.end(), evicted.begin(), evicted.end());
    }
    std::vector<BlockId> row = hit.blocks;
    row.insert(row.end(), free.begin(), free.begin() + static_cast<std::ptrdiff_t>(need));
    free.erase(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(need));
    last = cache.insert(prompt, row);
    cache.unlock(hit.node);
    CHECK(cache.violations() == Sentences{});
    CHECK(cache.evictable_tokens() + cache.protected_tokens() + free.size() == 16);
    return hit.num_tokens;
  }
  void serve_first_four() {
    CHECK(serve(token_range(1, 8)) == 0);
    CHECK(serve(tokens({1, 2, 3, 4, 5, 9, 10, 11})) == 5);
    CHECK(serve(tokens({1, 2, 3, 12, 13})) == 3);
    CHECK(serve(token_range(1, 8) + tokens({14})) == 8);
    CHECK(cache.show() == "[1,2,3]{[4,5]{[6,7,8]{[14]}, [9,10,11]}, [12,13]} | evictable 14, protected 0");
    CHECK(free == blocks({14, 15}));
  }

  std::vector<BlockId> evicted;
  RadixInsertion last;
};

}  // namespace

TEST_CASE("scenario S05: five prompts in 16 slots; the fifth evicts the least recently used leaf") {
  SixteenSlots s;
  s.serve_first_four();
  CHECK(s.serve(token_range(20, 4)) == 0);
  CHECK(s.evicted == blocks({8, 9, 10}));  // [9,10,11], not [12,13], which was used later
  CHECK(s.cache.match(token_range(20, 4)).blocks == blocks({14, 15, 8, 9}));
  CHECK(s.cache.show() == "[1,2,3]{[4,5]{[6,7,8]{[14]}}, [12,13]}, [20,21,22,23] | evictable 15, protected 0");
}

TEST_CASE("scenario S05 with a lock: what is locked stays, and the next leaf goes") {
  SixteenSlots s;
  s.serve_first_four();
  s.cache.lock(s.cache.match(tokens({1, 2, 3, 4, 5, 9, 10, 11})).node);
  CHECK(s.serve(token_range(20, 4)) == 0);
  CHECK(s.evicted == blocks({11, 12}));
  CHECK(s.cache.show() == "[1,2,3]x1{[4,5]x1{[6,7,8]{[14]}, [9,10,11]x1}}, [20,21,22,23] | evictable 8, protected 8");
}

TEST_CASE("eviction by pages takes from the last leaf only what is needed, from its end") {
  RadixCache cache(2, EvictionUnit::page);
  cache.insert(token_range(1, 4), block_range(0, 2));
  const NodeId leaf = cache.insert(token_range(11, 8), block_range(2, 4)).node;
  const RadixEviction evicted = cache.evict(7);  // 4 pages: both of [1,2,3,4], then two of four
  CHECK(evicted.blocks == blocks({0, 1, 4, 5}));
  CHECK(evicted.nodes.size() == 1);
  CHECK(evicted.trimmed == leaf);
  CHECK(cache.show() == "[11,12,13,14] | evictable 4, protected 0");
  CHECK(cache.match(token_range(11, 8)).num_tokens == 4);
  CHECK(cache.violations() == Sentences{});
  CHECK(cache.evict(4).trimmed == std::nullopt);
  CHECK(cache.num_nodes() == 0);
}

TEST_CASE("an emptied parent is the next leaf, and is younger than any of its children was") {
  RadixCache cache(1);
  cache.insert(tokens({1, 2}), block_range(0, 2));
  cache.insert(tokens({7, 8}), block_range(2, 2));
  cache.insert(tokens({1, 2, 3}), block_range(4, 3));
  CHECK(cache.evict(1).blocks == blocks({2, 3}));  // [7,8]
  CHECK(cache.evict(1).blocks == blocks({6}));     // [3]
  CHECK(cache.evict(1).blocks == blocks({0, 1}));  // [1,2], a leaf now
}

TEST_CASE("nothing is found in an empty tree, and nothing is kept of less than a page") {
  RadixCache cache(4);
  CHECK(cache.match({}).node == RadixCache::root());
  CHECK(cache.match(token_range(0, 9)).num_tokens == 0);
  const RadixInsertion nothing = cache.insert(token_range(0, 3), {});
  CHECK(nothing.node == RadixCache::root());
  CHECK(nothing.leaf == std::nullopt);
  CHECK(cache.num_nodes() == 0);
  CHECK(cache.evict(1).nodes.empty());
  cache.lock(RadixCache::root());
  cache.unlock(RadixCache::root());
}

TEST_CASE("misuse of the tree is refused and changes nothing") {
  CHECK_THROWS_WITH(RadixCache(0), "page size 0: a page must hold at least 1 token");
  RadixCache cache(2);
  const NodeId node = cache.insert(token_range(1, 4), block_range(0, 2)).node;
  const std::string before = cache.show();
  CHECK_THROWS_WITH(cache.insert(token_range(1, 6), block_range(0, 2)),
                    "3 pages of tokens, but only 2 blocks are given for them");
  CHECK_THROWS_WITH(cache.unlock(node), "node 1 of the radix tree is not locked");
  CHECK_THROWS_WITH(cache.lock(NodeId{2}), "the radix tree has no node 2");
  CHECK_THROWS_AS(cache.unlock(NodeId{9}), MisuseError);
  CHECK(cache.show() == before);
  cache.evict(100);
  CHECK_THROWS_WITH(cache.lock(node), "the radix tree has no node 1");
}

// --- reported faults of such trees

TEST_CASE("case B17: evictable and protected tokens together are the distinct slots of the tree") {
  RadixCache cache(1);
  cache.insert(token_range(0, 160), block_range(0, 160));
  CHECK(cache.evictable_tokens() + cache.protected_tokens() == 160);
  cache.lock(cache.match(token_range(0, 160)).node);
  cache.insert(token_range(0, 160) + tokens({-1}), block_range(1000, 161));
  CHECK(cache.evictable_tokens() == 1);
  CHECK(cache.protected_tokens() == 160);
}

TEST_CASE("case B20: the half that is evicted returns its memory") {
  RadixCache cache(1);
  cache.insert(token_range(0, 1000), block_range(0, 1000));
  const NodeId kept = cache.match(tokens({0})).node;
  cache.lock(kept);
  const std::size_t before = cache.list_bytes();
  CHECK(cache.evict(1).blocks.size() == 999);
  CHECK(before - cache.list_bytes() == 999 * (sizeof(TokenId) + sizeof(BlockId)));
}

TEST_CASE("case B51: a scope says of each part what it is and where it ends") {
  const auto scope = [](std::optional<std::string> salt, std::optional<Adapter> adapter) {
    return tagged({std::move(salt), std::move(adapter), {}});
  };
  RadixCache cache(1);
  cache.insert(tokens({1, 2}), block_range(0, 2), scope("ab", Adapter{"c", 0}));
  CHECK(cache.match(tokens({1, 2}), scope("a", Adapter{"bc", 0})).num_tokens == 0);
  cache.insert(tokens({1, 2}), block_range(2, 2), scope({}, Adapter{"lora", 7}));
  CHECK(cache.match(tokens({1, 2}), scope("lora", {})).num_tokens == 0);
  CHECK(cache.match(tokens({1, 2}), scope("lora#7", {})).num_tokens == 0);
  CHECK(cache.match(tokens({1, 2}), scope({}, Adapter{"lora", 7})).num_tokens == 2);
  CHECK(scope("", {}) != scope({}, {}));
}

TEST_CASE("case B110: a lock covers the matched tokens and no more") {
  RadixCache cache(1);
  cache.insert(token_range(1, 8), block_range(0, 8));
  cache.lock(cache.match(token_range(1, 3)).node);
  CHECK(cache.protected_tokens() == 3);
  CHECK(cache.evictable_tokens() == 5);
}
