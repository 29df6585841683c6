// Finding prompts again in a tree (SGLang), as a story to be read from top to bottom. Every line of state below is
// checked when the tests run.
//
// The other way to find a beginning that was computed before: all texts in one tree. The way from the root to a node
// spells a text, and each node knows the blocks that hold K and V of its part.
//
// Notation:
//   [1,2]x1{[3]x1, [4,5]} | evictable 2, protected 3
//   below the root one node with tokens 1 and 2; in braces its children; x locks; how many tokens may be evicted, and
//   how many are protected by a lock

#include "core/prefix/radix_cache.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

std::vector<TokenId> text(std::initializer_list<std::int32_t> tokens) {
  std::vector<TokenId> list;
  for (const std::int32_t token : tokens) list.push_back(TokenId{token});
  return list;
}

std::vector<BlockId> slots(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> list;
  for (const std::uint32_t id : ids) list.push_back(BlockId{id});
  return list;
}

TEST_CASE("1. A prompt is one node until another one branches off inside it") {
  RadixCache tree(1);  // a page of one token: prompts may part anywhere
  tree.insert(text({1, 2, 3}), slots({10, 11, 12}));
  CHECK(tree.show() == "[1,2,3] | evictable 3, protected 0");

  const RadixInsertion second = tree.insert(text({1, 2, 4, 5}), slots({20, 21, 22, 23}));
  CHECK(tree.show() == "[1,2]{[3], [4,5]} | evictable 5, protected 0");
  // Tokens 1 and 2 were there: the tree kept slots 10 and 11, and the caller still owns its duplicates 20 and 21.
  CHECK(second.num_present == 2);
}

TEST_CASE("2. Looking up changes the tree: a node that matches in part is split") {
  RadixCache tree(1);
  tree.insert(text({1, 2, 3, 4}), slots({0, 1, 2, 3}));
  CHECK(tree.peek(text({1, 2, 9})) == slots({0, 1}));  // only asking changes nothing
  CHECK(tree.show() == "[1,2,3,4] | evictable 4, protected 0");

  const RadixMatch match = tree.match(text({1, 2, 9}));
  CHECK(match.num_tokens == 2);
  CHECK(match.blocks == slots({0, 1}));
  CHECK(tree.show() == "[1,2]{[3,4]} | evictable 4, protected 0");  // so that a lock protects 1 and 2, and no more
}

TEST_CASE("3. A lock protects a node and all above it") {
  RadixCache tree(1);
  const NodeId leaf = tree.insert(text({1, 2, 3}), slots({0, 1, 2})).node;
  tree.insert(text({1, 2, 4, 5}), slots({0, 1, 4, 5}));
  tree.lock(leaf);  // a request whose prompt is 1 2 3 runs
  CHECK(tree.show() == "[1,2]x1{[3]x1, [4,5]} | evictable 2, protected 3");
  CHECK(tree.evict(100).blocks == slots({4, 5}));  // all that may go
  CHECK(tree.show() == "[1,2]x1{[3]x1} | evictable 0, protected 3");
  tree.unlock(leaf);
  CHECK(tree.show() == "[1,2]{[3]} | evictable 3, protected 0");
}

TEST_CASE("4. The leaf that rested longest goes, whole; its parent is a leaf then") {
  RadixCache tree(1);
  tree.insert(text({1, 2, 3}), slots({0, 1, 2}));
  tree.insert(text({1, 2, 4, 5}), slots({0, 1, 3, 4}));
  tree.match(text({1, 2, 3}));                   // used again: now 4 5 has rested longer
  CHECK(tree.evict(1).blocks == slots({3, 4}));  // one was asked for, the leaf has two
  CHECK(tree.show() == "[1,2]{[3]} | evictable 3, protected 0");
  CHECK(tree.evict(2).blocks == slots({2, 0, 1}));  // the leaf first, then the trunk, never the other way round
  CHECK(tree.show() == " | evictable 0, protected 0");
}

TEST_CASE("5. With pages of four tokens prompts part at whole pages only") {
  RadixCache tree(4);
  tree.insert(text({1, 2, 3, 4, 5, 6, 7, 8}), slots({0, 1}));
  CHECK(tree.match(text({1, 2, 3, 4, 5, 6, 7})).num_tokens == 4);  // the second page is not whole
  tree.insert(text({1, 2, 9, 9}), slots({2}));
  CHECK(tree.show() == "[1,2,3,4]{[5,6,7,8]}, [1,2,9,9] | evictable 12, protected 0");  // siblings: 1 2 is no page
}

TEST_CASE("6. Tenants that must not see each other's prompts have trees of their own below one root") {
  RadixCache tree(1);
  tree.insert(text({1, 2, 3}), slots({0, 1, 2}), "salt=1:a,");
  CHECK(tree.match(text({1, 2, 3}), "salt=1:a,").num_tokens == 3);
  CHECK(tree.match(text({1, 2, 3}), "salt=1:b,").num_tokens == 0);
  CHECK(tree.match(text({1, 2, 3})).num_tokens == 0);
  CHECK(tree.violations().empty());
}

}  // namespace
}  // namespace kvarium
