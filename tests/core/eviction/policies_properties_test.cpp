// Every policy against the oracle that looks at all blocks, over random operations.

#include <random>
#include <string>

#include "core/eviction/policies.h"
#include "tests/core/eviction/naive_policy.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::NaivePolicy;

constexpr std::uint32_t kBlocks = 24;
constexpr int kOperations = 600;
constexpr unsigned kSeeds = 60;

std::uint32_t below(std::uint32_t bound, std::mt19937& random) { return static_cast<std::uint32_t>(random() % bound); }

/// One random operation that both allow.
void operate(EvictionPolicy& policy, NaivePolicy& oracle, std::mt19937& random) {
  const BlockId block{below(kBlocks, random)};
  if (!oracle.contains(block)) {
    const std::uint32_t position = below(8, random);
    policy.insert(block, position);
    oracle.insert(block, position);
    return;
  }
  const std::uint32_t choice = below(8, random);
  if (choice < 4) {
    policy.touch(block);
    oracle.touch(block);
  } else if (choice == 4) {
    policy.lock(block);
    oracle.lock(block);
  } else if (oracle.locks(block) > 0) {
    policy.unlock(block);
    oracle.unlock(block);
  } else {
    policy.erase(block);
    oracle.erase(block);
  }
}

/// The oracle's blocks in the order in which they would go.
std::vector<BlockId> order(NaivePolicy oracle) {
  std::vector<BlockId> blocks;
  while (const std::optional<BlockId> victim = oracle.victim()) {
    blocks.push_back(*victim);
    oracle.erase(*victim);
  }
  return blocks;
}

TEST_CASE("each policy chooses the victims of a scan over all blocks, whatever is used, locked and taken out") {
  for (const NamedPolicy& named : eviction_policies()) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      INFO(named.name << ", seed " << seed);
      std::mt19937 random(seed);
      const std::unique_ptr<EvictionPolicy> policy = named.make();
      NaivePolicy oracle{std::string(named.name)};
      for (int i = 0; i < kOperations; ++i) {
        operate(*policy, oracle, random);
        if (policy->victim() != oracle.victim() || policy->size() != oracle.size()) {
          FAIL("after " << i + 1 << " operations");
        }
      }
      REQUIRE(policy->eviction_order() == order(oracle));
    }
  }
}

TEST_CASE("taking victim after victim empties a policy in its order") {
  for (const NamedPolicy& named : eviction_policies()) {
    INFO(named.name);
    std::mt19937 random(7);
    const std::unique_ptr<EvictionPolicy> policy = named.make();
    for (std::uint32_t i = 0; i < 200; ++i) policy->insert(BlockId{i}, below(20, random));
    for (std::uint32_t i = 0; i < 400; ++i) policy->touch(BlockId{below(200, random)});
    const std::vector<BlockId> expected = policy->eviction_order();
    std::vector<BlockId> gone;
    while (const std::optional<BlockId> victim = policy->victim()) {
      gone.push_back(*victim);
      policy->erase(*victim);
    }
    CHECK(gone.size() == 200);
    CHECK(gone == expected);
  }
}

}  // namespace
}  // namespace kvarium
