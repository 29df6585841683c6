// The rungs of copy_blocks: whole layers, only the slots in use, in the order of the list.

#include "cuda/kernels/copy_blocks.cuh"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::KvLayout;
using kvarium_test::traffic_of;

namespace {

constexpr CopyBlocksRung kRungs[] = {CopyBlocksRung::numbers, CopyBlocksRung::packs};

/// A cache whose numbers are all different.
struct Problem {
  Problem(unsigned num_layers, unsigned blocks, const KvLayout& cache_layout)
      : layers(num_layers), num_blocks(blocks), layout(cache_layout) {
    keys.resize(std::size_t{layers} * num_blocks * layout.block_stride());
    values.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<float>(i);
      values[i] = -static_cast<float>(i);
    }
  }

  /// Whether the kernels leave what copying one pair after another leaves.
  bool is_right(CopyBlocksRung rung, const std::vector<BlockPair>& pairs) const {
    DeviceBuffer<float> keys_device(keys, "keys"), values_device(values, "values");
    run(rung, pairs, keys_device, values_device);
    return keys_device.download() == copied(keys, pairs) && values_device.download() == copied(values, pairs);
  }

  void run(CopyBlocksRung rung, const std::vector<BlockPair>& pairs, DeviceBuffer<float>& keys_device,
           DeviceBuffer<float>& values_device) const {
    DeviceBuffer<BlockPair> list(pairs.size(), "pairs");
    Stream stream;
    copy_blocks<float>(rung, stream, {keys_device.ptr(), values_device.ptr(), layers, num_blocks, layout}, pairs, list);
    stream.synchronize();
  }

  std::vector<float> copied(std::vector<float> buffer, const std::vector<BlockPair>& pairs) const {
    for (unsigned layer = 0; layer < layers; ++layer) {
      for (const BlockPair& pair : pairs) {
        const auto at = [&](unsigned block) {
          return buffer.begin() + static_cast<std::ptrdiff_t>(layout.offset(layer * num_blocks + block, 0, 0, 0));
        };
        std::copy_n(at(pair.from), pair.tokens * layout.token_stride(), at(pair.to));
      }
    }
    return buffer;
  }

  unsigned layers, num_blocks;
  KvLayout layout;
  std::vector<float> keys, values;
};

}  // namespace

TEST_CASE("copy_blocks: blocks go over in every layer, and only their slots in use") {
  for (const CopyBlocksRung rung : kRungs) {
    const Problem problem(3, 5, {8, 2, 16});
    CHECK(problem.is_right(rung, {{0, 4, 8}}));
    CHECK(problem.is_right(rung, {{0, 4, 3}, {1, 2, 5}, {0, 3, 1}}));
    CHECK(problem.is_right(rung, {}));
    CHECK(problem.is_right(rung, {{1, 2, 0}}));
  }
}

TEST_CASE("copy_blocks: a cache of latent rows has no values to copy") {
  const Problem problem(2, 3, {4, 1, 12});
  for (const CopyBlocksRung rung : kRungs) {
    DeviceBuffer<float> rows(problem.keys, "rows");
    DeviceBuffer<BlockPair> list(1, "pairs");
    Stream stream;
    copy_blocks<float>(rung, stream, {rows.ptr(), nullptr, 2, 3, problem.layout}, {{2, 0, 3}}, list);
    CHECK(rows.download() == problem.copied(problem.keys, {{2, 0, 3}}));
  }
}

TEST_CASE("copy_blocks: pairs that touch the same block go one after another, in the order of the list") {
  CHECK(independent_pairs({{0, 1, 4}, {2, 3, 4}, {1, 4, 4}}, 0) == 2);  // block 1 is read after it was written
  CHECK(independent_pairs({{0, 1, 4}, {2, 0, 4}}, 0) == 1);             // block 0 is written after it was read
  CHECK(independent_pairs({{0, 2, 4}, {1, 2, 4}}, 0) == 1);             // block 2 is written twice
  CHECK(independent_pairs({{0, 1, 4}, {0, 2, 4}}, 0) == 2);             // reading twice is no matter
  for (const CopyBlocksRung rung : kRungs) {
    const Problem problem(2, 4, {4, 1, 8});
    CHECK(problem.is_right(rung, {{0, 1, 4}, {1, 2, 4}, {3, 0, 4}}));
  }
}

TEST_CASE("copy_blocks: random lists give what copying one pair after another gives") {
  std::mt19937 random(11);
  const Problem problem(2, 6, {4, 1, 8});
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<BlockPair> pairs;
    while (pairs.size() < 8) {
      const BlockPair pair{static_cast<unsigned>(random() % 6), static_cast<unsigned>(random() % 6),
                           static_cast<unsigned>(random() % 5)};
      if (pair.from != pair.to) pairs.push_back(pair);
    }
    INFO("trial " << trial);
    CHECK(problem.is_right(kRungs[trial % 2], pairs));
  }
}

TEST_CASE("copy_blocks: the bytes of the header table, packs in a quarter of the requests") {
  const Problem problem(2, 4, {8, 2, 32});  // w s = 256 bytes
  const auto traffic = [&](CopyBlocksRung rung) {
    DeviceBuffer<float> keys(problem.keys), values(problem.values);
    return traffic_of([&] { problem.run(rung, {{0, 1, 6}}, keys, values); });
  };
  const auto numbers = traffic(CopyBlocksRung::numbers), packs = traffic(CopyBlocksRung::packs);
  // Every thread of the four blocks (two layers, K and V) reads the pair of 12 bytes.
  const std::size_t pair_bytes = std::size_t{4} * 128 * 12;
  CHECK(numbers.bytes - pair_bytes == std::size_t{4} * 2 * 6 * 256);
  CHECK(packs.bytes - pair_bytes == std::size_t{4} * 2 * 6 * 256);
  CHECK(numbers.requests - 16 == 4 * (packs.requests - 16));
}

TEST_CASE("copy_blocks: a block or a slot that does not exist is refused before anything is copied") {
  const Problem problem(1, 3, {4, 1, 8});
  CHECK_THROWS_WITH(problem.is_right(CopyBlocksRung::numbers, {{0, 1, 4}, {0, 3, 4}}),
                    "copy_blocks: cannot copy 4 slots of block 0 to block 3: there are 3 blocks of 4");
  CHECK_THROWS_AS(problem.is_right(CopyBlocksRung::numbers, {{0, 1, 5}}), kvarium::MisuseError);
  const Problem odd(1, 3, {4, 1, 6});
  CHECK_THROWS_WITH(odd.is_right(CopyBlocksRung::packs, {{0, 1, 4}}),
                    "copy_blocks: packs take a multiple of 4 numbers a token, not 6");
}
