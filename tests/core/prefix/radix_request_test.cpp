// Prompts that share blocks through the radix tree: who owns what, and what is handed back.

#include "core/prefix/radix_request.h"

#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

TEST_CASE("a request computes at least its last token, even if all of its prompt is in the tree") {
  RadixCache cache(1);
  cache.insert(token_range(1, 6), block_range(0, 6));
  CHECK(RadixRequest(cache, token_range(1, 6)).hit_tokens() == 5);

  RadixCache pages(4);
  pages.insert(token_range(1, 8), block_range(0, 2));
  RadixRequest request(pages, token_range(1, 8));
  CHECK(request.hit_tokens() == 4);  // with pages, the whole last page is computed again
  CHECK(request.blocks() == blocks({0}));
}

TEST_CASE("an unfinished request shares its prompt at once, and its lock moves down with it") {
  RadixCache cache(2);
  RadixRequest a(cache, token_range(1, 9));
  a.append(block_range(0, 2));
  CHECK(a.cache_unfinished(token_range(1, 4)).empty());
  CHECK(cache.show() == "[1,2,3,4]x1 | evictable 0, protected 4");
  CHECK(a.shared_pages() == 2);

  a.append(block_range(2, 3));
  CHECK(a.cache_unfinished(token_range(1, 9)).empty());
  CHECK(cache.show() == "[1,2,3,4]x1{[5,6,7,8]x1} | evictable 0, protected 8");

  CHECK(a.cache_finished(token_range(1, 9)) == blocks({4}));  // the half page of token 9
  CHECK(cache.show() == "[1,2,3,4]{[5,6,7,8]} | evictable 8, protected 0");
}

TEST_CASE("a request that is aborted hands back its own blocks and leaves the shared ones") {
  RadixCache cache(1);
  cache.insert(token_range(1, 3), block_range(0, 3));
  RadixRequest request(cache, token_range(1, 5));
  request.append(block_range(10, 2));
  CHECK(request.let_go() == blocks({10, 11}));
  CHECK(cache.show() == "[1,2,3] | evictable 3, protected 0");
}

TEST_CASE("case B16: the row of the slower of two equal requests names the tree's blocks, not its freed duplicates") {
  RadixCache cache(1);
  RadixRequest a(cache, token_range(1, 4)), b(cache, token_range(1, 4));
  a.append(block_range(0, 4));
  b.append(block_range(10, 4));
  CHECK(a.cache_finished(token_range(1, 4)).empty());
  CHECK(b.cache_unfinished(token_range(1, 4)) == block_range(10, 4));
  CHECK(b.blocks() == block_range(0, 4));
  CHECK(cache.show() == "[1,2,3,4]x1 | evictable 0, protected 4");
  CHECK(cache.evict(100).blocks.empty());
  CHECK(b.cache_finished(token_range(1, 4)).empty());
}

TEST_CASE("blocks that were borrowed from the tree are never handed back as duplicates") {
  RadixCache cache(1);
  cache.insert(token_range(1, 3), block_range(0, 3));
  RadixRequest a(cache, token_range(1, 5)), b(cache, token_range(1, 5));
  a.append(block_range(10, 2));
  b.append(block_range(20, 2));
  CHECK(a.cache_finished(token_range(1, 5)).empty());
  CHECK(b.cache_finished(token_range(1, 5)) == blocks({20, 21}));
  CHECK(cache.violations() == std::vector<std::string>{});
}
