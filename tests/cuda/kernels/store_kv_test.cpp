// The rungs of store_kv: every number in its slot, nothing anywhere else.

#include "cuda/kernels/store_kv.cuh"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu_reference/kv_store/paged.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/traffic.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::KvLayout;
using kvarium_test::fault_of;
using kvarium_test::traffic_of;

namespace {

constexpr StoreKvRung kRungs[] = {StoreKvRung::numbers, StoreKvRung::packs};

template <typename T>
std::vector<T> counted(std::size_t count, float first) {
  std::vector<T> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = from_float<T>(first + static_cast<float>(i % 1000));
  return numbers;
}

template <typename T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// A cache of `num_blocks` blocks, and tokens for some of its slots.
template <typename T>
struct Problem {
  Problem(const KvLayout& layout_, std::size_t num_blocks, std::vector<long long> slots_)
      : layout(layout_),
        slots(std::move(slots_)),
        keys(counted<T>(slots.size() * layout.token_stride(), 1)),
        values(counted<T>(slots.size() * layout.token_stride(), -999)),
        key_cache(num_blocks * layout.block_stride(), "key_cache"),
        value_cache(num_blocks * layout.block_stride(), "value_cache") {}

  void run(StoreKvRung rung) {
    const DeviceBuffer<T> keys_device(keys, "keys"), values_device(values, "values");
    const DeviceBuffer<long long> slots_device(slots, "slots");
    Stream stream;
    store_kv<T>(rung, stream,
                {keys_device.ptr(), values_device.ptr(), slots_device.ptr(), key_cache.ptr(), value_cache.ptr()},
                static_cast<int>(slots.size()), layout);
    stream.synchronize();
  }

  /// Slots whose numbers are wrong: not those of their token, or written though no token has the slot.
  int num_wrong_slots() const {
    return num_wrong(key_cache.download(), keys) + num_wrong(value_cache.download(), values);
  }
  int num_wrong(const std::vector<T>& cache, const std::vector<T>& rows) const {
    const std::size_t width = layout.token_stride();
    std::vector<T> untouched(width);
    std::memset(static_cast<void*>(untouched.data()), 0xFF, width * sizeof(T));  // as the emulator fills memory
    int wrong = 0;
    for (std::size_t slot = 0; slot < cache.size() / width; ++slot) {
      const auto token = std::find(slots.begin(), slots.end(), static_cast<long long>(slot)) - slots.begin();
      const bool has_token = token < static_cast<std::ptrdiff_t>(slots.size());
      const T* wanted = has_token ? rows.data() + static_cast<std::size_t>(token) * width : untouched.data();
      wrong += std::equal(wanted, wanted + width, cache.data() + slot * width, same_bits<T>) ? 0 : 1;
    }
    return wrong;
  }

  KvLayout layout;
  std::vector<long long> slots;
  std::vector<T> keys, values;
  DeviceBuffer<T> key_cache, value_cache;
};

/// Some slots in a mixed order, some tokens with none.
std::vector<long long> mixed_slots(std::size_t num_slots, std::size_t num_tokens) {
  std::vector<long long> slots(num_slots);
  std::iota(slots.begin(), slots.end(), 0);
  std::shuffle(slots.begin(), slots.end(), std::mt19937(5));
  slots.resize(num_tokens);
  slots[1] = kNoSlot;
  return slots;
}

template <typename T>
void check_all_shapes() {
  for (const std::uint32_t block_size : {8U, 16U, 5U}) {
    for (const std::uint32_t heads : {1U, 2U, 6U}) {
      for (const std::uint32_t head_dim : {16U, 32U, 128U}) {
        for (const StoreKvRung rung : kRungs) {
          Problem<T> problem({block_size, heads, head_dim}, 4, mixed_slots(4 * block_size, 11));
          problem.run(rung);
          INFO("block size " << block_size << ", " << heads << " heads of " << head_dim);
          CHECK(problem.num_wrong_slots() == 0);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("store_kv: each token's K and V come to its slot, and no other slot is touched") {
  check_all_shapes<float>();
  check_all_shapes<f16>();
  check_all_shapes<bf16>();
}

TEST_CASE("store_kv: the kernels and the CPU reference lay the cache out alike") {
  const KvLayout layout{4, 2, 8};
  Problem<float> problem(layout, 3, {9, 2, 4});
  problem.run(StoreKvRung::packs);
  kvarium::ModelShape shape;
  shape.layers = 1;
  shape.kv_heads = 2;
  shape.head_dim = 8;
  kvarium::cpu::PagedKvStore store(shape, 3, 4);
  for (std::size_t t = 0; t < 3; ++t) {
    const auto slot = static_cast<std::uint32_t>(problem.slots[t]);
    const kvarium::cpu::KvRow row = store.row(0, kvarium::BlockId{slot / 4}, slot % 4);
    std::copy_n(problem.keys.data() + t * 16, 16, row.key);
    std::copy_n(problem.values.data() + t * 16, 16, row.value);
  }
  const std::vector<float> keys = problem.key_cache.download();
  for (const long long slot : problem.slots) {
    const auto place = static_cast<std::uint32_t>(slot);
    const kvarium::cpu::KvRow row = store.row(0, kvarium::BlockId{place / 4}, place % 4);
    CHECK(std::equal(row.key, row.key + 16, keys.data() + place * 16));
  }
}

TEST_CASE("store_kv: both rungs move the bytes of the header table, packs in a quarter of the requests") {
  const KvLayout layout{16, 2, 64};  // w s = 512 bytes
  const auto traffic = [&](StoreKvRung rung) {
    Problem<float> problem(layout, 2, {3, 17, 8});
    return traffic_of([&] { problem.run(rung); });
  };
  const auto numbers = traffic(StoreKvRung::numbers), packs = traffic(StoreKvRung::packs);
  // Four warps read the slot, 8 bytes in each of their 128 threads.
  const std::size_t slots_bytes = std::size_t{3} * 128 * 8;
  CHECK(numbers.bytes - slots_bytes == std::size_t{3} * 4 * 512);
  CHECK(packs.bytes - slots_bytes == std::size_t{3} * 4 * 512);
  CHECK(numbers.requests == 3 * (4 + 4 * 4));
  CHECK(packs.requests == 3 * (4 + 4));
  CHECK(packs.sectors == packs.fewest_sectors);
}

TEST_CASE("store_kv: a slot beyond the cache is caught, with the token's block of threads and the line") {
  for (const StoreKvRung rung : kRungs) {
    Problem<float> problem({4, 1, 32}, 2, {0, 8});
    const std::string told = fault_of([&] { problem.run(rung); });
    CHECK(told.find("block 1, thread 0: writes element 256 of key_cache, which has 256 (store_kv.cuh:") == 0);
  }
}

TEST_CASE("store_kv: packs refuse rows that are no multiple of 16 bytes, and no tokens are no work") {
  Problem<f16> problem({4, 1, 12}, 2, {0});
  CHECK_THROWS_WITH(problem.run(StoreKvRung::packs), "store_kv: packs take a multiple of 8 numbers a token, not 12");
  Problem<float> nothing({4, 1, 32}, 2, {});
  for (const StoreKvRung rung : kRungs) {
    nothing.run(rung);
    CHECK(nothing.num_wrong_slots() == 0);
  }
}

TEST_CASE("store_kv: latent rows come to their slots without values, for half of the bytes") {
  for (const StoreKvRung rung : kRungs) {
    Problem<float> problem({4, 1, 40}, 2, {5, 0});
    const DeviceBuffer<float> rows(problem.keys, "rows");
    const DeviceBuffer<long long> slots(problem.slots, "slots");
    const auto traffic = traffic_of([&] {
      Stream stream;
      store_kv<float>(rung, stream, {rows.ptr(), nullptr, slots.ptr(), problem.key_cache.ptr(), nullptr}, 2,
                      problem.layout);
      stream.synchronize();
    });
    CHECK(problem.num_wrong(problem.key_cache.download(), problem.keys) == 0);
    CHECK(traffic.bytes - std::size_t{2} * 128 * 8 == std::size_t{2} * 2 * 40 * 4);
  }
}
