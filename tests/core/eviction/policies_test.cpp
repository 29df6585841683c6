// Each policy as a story of four blocks. Notation: blocks in the order in which they would go, next victim first.

#include "core/eviction/policies.h"

#include <string>

#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::contains;

std::unique_ptr<EvictionPolicy> make(std::string_view name) { return find_eviction_policy(name).make(); }

std::string order(const EvictionPolicy& policy) {
  std::string text;
  for (const BlockId block : policy.eviction_order()) text += (text.empty() ? "" : " ") + std::to_string(value(block));
  return text;
}

/// A prompt of three blocks, written tail first: 2 at position 2, then 1, then its head 0; then a block 3 of another
/// prompt's head. Then the first prompt's head and second block are used again, tail first.
std::unique_ptr<EvictionPolicy> after_two_prompts(std::string_view name) {
  std::unique_ptr<EvictionPolicy> policy = make(name);
  policy->insert(BlockId{2}, 2);
  policy->insert(BlockId{1}, 1);
  policy->insert(BlockId{0}, 0);
  policy->insert(BlockId{3}, 0);
  policy->touch(BlockId{1});
  policy->touch(BlockId{0});
  return policy;
}

TEST_CASE("least recently used: the block that rested longest goes first, a head after its tail") {
  CHECK(order(*after_two_prompts("lru")) == "2 3 1 0");
}

TEST_CASE("first in, first out: use does not help a block") { CHECK(order(*after_two_prompts("fifo")) == "2 1 0 3"); }

TEST_CASE("least frequently used: once-used blocks go before twice-used ones") {
  const auto policy = after_two_prompts("lfu");
  CHECK(order(*policy) == "2 3 1 0");
  policy->touch(BlockId{2});
  policy->touch(BlockId{2});
  CHECK(order(*policy) == "3 1 0 2");
}

TEST_CASE("a block that went and came back is counted anew") {
  for (const std::string name : {"lfu", "length-aware"}) {
    INFO(name);
    const auto policy = make(name);
    policy->insert(BlockId{0}, 0);
    policy->insert(BlockId{1}, 0);
    policy->touch(BlockId{0});
    policy->touch(BlockId{0});
    policy->touch(BlockId{1});
    CHECK(order(*policy) == "1 0");
    policy->erase(BlockId{0});
    policy->insert(BlockId{0}, 0);
    CHECK(order(*policy) == "0 1");
  }
}

TEST_CASE("length-aware: of blocks used equally often the deepest goes first") {
  CHECK(order(*after_two_prompts("length-aware")) == "2 3 1 0");
  const auto policy = make("length-aware");
  policy->insert(BlockId{0}, 5);  // rested longest, but not deepest
  policy->insert(BlockId{1}, 9);
  policy->insert(BlockId{2}, 9);
  policy->insert(BlockId{3}, 1);
  CHECK(order(*policy) == "1 2 0 3");
  policy->touch(BlockId{1});
  CHECK(order(*policy) == "2 0 3 1");
}

TEST_CASE("prefix depth: the deepest block goes first, however often it was used") {
  const auto policy = after_two_prompts("prefix-depth");
  CHECK(order(*policy) == "2 1 3 0");
  for (int i = 0; i < 5; ++i) policy->touch(BlockId{2});
  CHECK(order(*policy) == "2 1 3 0");
}

TEST_CASE("a locked block is no victim until its last reference is gone, and then its turn is the old one") {
  for (const NamedPolicy& named : eviction_policies()) {
    INFO(named.name);
    const auto policy = after_two_prompts(named.name);
    const std::string before = order(*policy);
    policy->lock(BlockId{2});
    policy->lock(BlockId{2});
    CHECK(policy->victim() != BlockId{2});
    CHECK(order(*policy) == before.substr(2));
    policy->unlock(BlockId{2});
    CHECK(policy->victim() != BlockId{2});
    policy->unlock(BlockId{2});
    CHECK(order(*policy) == before);
  }
}

TEST_CASE("when all blocks are locked there is no victim, and a use is still counted") {
  const auto policy = make("lru");
  CHECK(policy->victim() == std::nullopt);
  policy->insert(BlockId{0}, 0);
  policy->insert(BlockId{1}, 0);
  policy->lock(BlockId{0});
  policy->lock(BlockId{1});
  CHECK(policy->victim() == std::nullopt);
  CHECK(policy->size() == 2);
  policy->touch(BlockId{0});
  policy->unlock(BlockId{0});
  policy->unlock(BlockId{1});
  CHECK(order(*policy) == "1 0");
}

TEST_CASE("operations on the wrong block are misuse and change nothing") {
  for (const NamedPolicy& named : eviction_policies()) {
    INFO(named.name);
    const auto policy = after_two_prompts(named.name);
    policy->lock(BlockId{3});
    const std::string before = order(*policy);
    CHECK_THROWS_AS(policy->insert(BlockId{0}, 0), MisuseError);
    CHECK_THROWS_AS(policy->touch(BlockId{9}), MisuseError);
    CHECK_THROWS_AS(policy->lock(BlockId{9}), MisuseError);
    CHECK_THROWS_AS(policy->unlock(BlockId{9}), MisuseError);
    CHECK_THROWS_AS(policy->unlock(BlockId{0}), MisuseError);
    CHECK_THROWS_AS(policy->erase(BlockId{9}), MisuseError);
    CHECK_THROWS_AS(policy->erase(BlockId{3}), MisuseError);
    CHECK(order(*policy) == before);
    CHECK(policy->size() == 4);
    CHECK(policy->contains(BlockId{3}));
    CHECK_FALSE(policy->contains(BlockId{9}));
  }
}

TEST_CASE("policies are found by name; an unknown name lists them all") {
  CHECK(find_eviction_policy("Length-Aware").name == "length-aware");
  CHECK(find_eviction_policy("LRU").name == "lru");
  CHECK_THROWS_WITH(find_eviction_policy("random"),
                    contains("'random'") && contains("lru, lfu, length-aware, fifo, prefix-depth"));
}

}  // namespace
}  // namespace kvarium
