// Finding prompts again by hashes (vLLM), as a story to be read from top to bottom. Every line of state below is
// checked when the tests run.
//
// K and V of a token depend on the token and on all before it. So two prompts that begin with the same tokens have the
// same K and V for that beginning, and the second prompt need not compute them, if it can find them.
//
// Notation:
//   a pool     free 1 2 3 | used 0x2       free blocks, the next one to be handed out first; block 0 is held twice
//   a cache    cached 0 1 2=1              blocks that can be found; block 2 holds the same as block 1, which is found
//   a table    [7,3] 8 tokens              the tokens of this request lie in block 7, then 3

#include "core/blocks/block_table.h"
#include "core/prefix/block_hash.h"
#include "core/prefix/hash_cache.h"
#include "tests/support/catch.h"
#include "tests/support/fake_runner.h"

namespace kvarium {
namespace {

using kvarium_test::tokens_of;

constexpr RequestId kA{0}, kB{1}, kC{2}, kD{3};

/// One request as this story serves it: find, adopt, append, cache; in an engine these are several steps.
struct Served {
  Served(BlockPool& pool, HashCache& cache, RequestId id, const std::string& prompt) : table(pool, id) {
    const std::vector<TokenId> tokens = tokens_of(prompt);
    const std::vector<BlockHash> hashes = BlockHasher(4).hashes(tokens);
    const PrefixHit found = cache.find({tokens, hashes});
    hit = found.num_tokens;
    cache.adopt(table, id, found, static_cast<std::uint32_t>(tokens.size()));
    REQUIRE(table.append(static_cast<std::uint32_t>(tokens.size()) - hit));
    cache.cache_full_blocks(id, table, {tokens, hashes});
  }
  BlockTable table;
  std::uint32_t hit = 0;
};

TEST_CASE("1. A block's name is a hash of its tokens and of the name before it") {
  const BlockHasher hasher(4);
  const std::vector<BlockHash> one = hasher.hashes(tokens_of("abcdefgh"));
  const std::vector<BlockHash> two = hasher.hashes(tokens_of("abcdxxxx"));
  const std::vector<BlockHash> three = hasher.hashes(tokens_of("xbcdefgh"));
  CHECK(one.size() == 2);
  CHECK(one[0] == two[0]);    // the same four tokens at the beginning
  CHECK(one[1] != three[1]);  // "efgh" after another beginning has other K and V, and so another name
  CHECK(hasher.hashes(tokens_of("abcdefg")).size() == 1);  // "efg" is not full and has no name yet
}

TEST_CASE("2. A prompt that begins like an earlier one takes its full blocks") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(8), nobody);
  HashCache cache(pool);
  Served a(pool, cache, kA, "abcdefghij");
  CHECK(a.hit == 0);
  CHECK(a.table.show() == "[0,1,2] 10 tokens");
  CHECK(cache.show() == "cached 0 1");  // block 2 holds "ij" and two empty slots

  Served b(pool, cache, kB, "abcdefgxyz");
  CHECK(b.hit == 4);  // "abcd"; "efgx" is not "efgh"
  CHECK(b.table.show() == "[0,3,4] 10 tokens");
  CHECK(pool.show() == "free 5 6 7 | used 0x2 1x1 2x1 3x1 4x1");
  a.table.release();
  b.table.release();
}

TEST_CASE("3. One token must be left to compute, so a whole prompt found again computes its last block anew") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(8), nobody);
  HashCache cache(pool);
  Served a(pool, cache, kA, "abcdefgh");
  Served b(pool, cache, kB, "abcdefgh");
  CHECK(b.hit == 4);  // not 8: without a token computed there are no logits, and a hit ends at the end of a block
  CHECK(b.table.show() == "[0,2] 8 tokens");
  CHECK(cache.show() == "cached 0 1 2=1");  // twins: tables are never rewritten, so both blocks stay
  a.table.release();
  b.table.release();
}

TEST_CASE("4. A block that nobody holds waits in the free queue and can still be found") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);
  HashCache cache(pool);
  Served a(pool, cache, kA, "abcdefghi");
  a.table.release();
  // The tail first: block 2 was not full, nobody can find it, it goes to the head. Then 1, then 0: the longer a
  // prefix, the fewer prompts share it.
  CHECK(pool.show() == "free 2 3 1 0 | used");
  CHECK(cache.show() == "cached 0 1");

  Served b(pool, cache, kB, "abcdxyz");
  CHECK(b.hit == 4);
  CHECK(b.table.show() == "[0,2] 7 tokens");  // block 0 was taken out of the middle of the queue
  CHECK(pool.show() == "free 3 1 | used 0x1 2x1");
  b.table.release();
}

TEST_CASE("5. A block is evicted when its turn comes to be handed out, and not before") {
  NullSink nobody;
  BlockPool pool(4, ascending_order(4), nobody);
  HashCache cache(pool);
  Served a(pool, cache, kA, "abcdefghi");
  a.table.release();
  Served c(pool, cache, kC, "klmnopqrstu");  // three blocks: 2 and 3 were empty, block 1 must go
  CHECK(c.table.show() == "[2,3,1] 11 tokens");
  CHECK(cache.show() == "cached 0 2 3");
  c.table.release();

  Served d(pool, cache, kD, "abcdefghi");
  CHECK(d.hit == 4);  // the head stayed, "efgh" is gone
  d.table.release();
  CHECK(cache.violations().empty());
}

}  // namespace
}  // namespace kvarium
