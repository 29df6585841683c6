#include "core/prefix/hash_index.h"

#include <algorithm>
#include <random>

#include "core/error.h"
#include "tests/core/prefix/prefix_support.h"
#include "tests/support/catch.h"

using namespace kvarium;
using namespace kvarium_test;

TEST_CASE("the first of several blocks with one hash is found, and the next when it goes") {
  HashIndex index(4);
  const BlockHash hash{7, 1}, other{8, 1};  // the same bucket
  for (const BlockId block : blocks({2, 0, 3})) index.add(block, hash);
  index.add(BlockId{1}, other);
  CHECK(index.num_blocks() == 4);
  CHECK(index.num_hashes() == 2);
  CHECK(index.next_twin(BlockId{2}) == BlockId{0});
  CHECK(index.next_twin(BlockId{3}) == std::nullopt);
  index.remove(BlockId{2});
  CHECK(index.find(hash) == BlockId{0});
  index.remove(BlockId{3});
  index.remove(BlockId{0});
  CHECK(index.find(hash) == std::nullopt);
  CHECK(index.find(other) == BlockId{1});
  CHECK_THROWS_WITH(index.remove(BlockId{0}), "block 0 has no hash");
  CHECK_THROWS_WITH(index.add(BlockId{1}, hash), "block 1 has a hash already");
  CHECK(index.violations().empty());
  index.clear();
  CHECK(index.find(other) == std::nullopt);
  CHECK(index.num_blocks() == 0);
}

TEST_CASE("random additions and removals agree with a plain list") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 draws(seed);
  HashIndex index(13);
  std::vector<std::pair<BlockHash, BlockId>> list;  // in the order of addition
  for (int operation = 0; operation < 5000; ++operation) {
    const BlockId block{static_cast<std::uint32_t>(draws() % 13)};
    const auto listed = std::find_if(list.begin(), list.end(), [&](const auto& pair) { return pair.second == block; });
    REQUIRE(index.contains(block) == (listed != list.end()));
    if (listed != list.end()) {
      index.remove(block);
      list.erase(listed);
    } else {
      const BlockHash hash{draws() % 2, (draws() % 3) * 64};  // 6 hashes, 1 bucket
      index.add(block, hash);
      list.emplace_back(hash, block);
    }
    for (std::uint64_t high = 0; high < 2; ++high) {
      for (std::uint64_t low = 0; low < 192; low += 64) {
        const BlockHash hash{high, low};
        std::vector<BlockId> expected, found;
        for (const auto& [of, id] : list) {
          if (of == hash) expected.push_back(id);
        }
        for (auto at = index.find(hash); at; at = index.next_twin(*at)) found.push_back(*at);
        REQUIRE(found == expected);
      }
    }
    REQUIRE(index.violations().empty());
  }
}
