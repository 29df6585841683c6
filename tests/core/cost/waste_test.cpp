#include "core/cost/waste.h"

#include "core/blocks/block_table.h"
#include "core/blocks/contiguous_pool.h"
#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;

const std::vector<std::uint64_t> kLengths{17, 40, 9, 64};  // tokens of four requests, scenario S02
constexpr std::uint64_t kMaxLength = 64;

/// Half of the last digit of a percentage that is written with one decimal.
Approx percent(double expected) { return Approx(expected).margin(0.05).epsilon(0); }

TEST_CASE("17 tokens in blocks of 8 leave 7 of 24 slots empty") {
  const Waste waste = paged_waste({17}, 8);
  CHECK(waste == Waste{17, 24, 3});
  CHECK(waste.unused() == 7);
  CHECK(waste.fraction() * 100 == percent(29.2));
}

TEST_CASE("four requests waste half of their rows, but a tenth of their blocks") {
  CHECK(contiguous_waste(kLengths, kMaxLength).fraction() * 100 == percent(49.2));
  CHECK(paged_waste(kLengths, 8).fraction() * 100 == percent(9.7));
}

TEST_CASE("smaller blocks waste less and need longer tables") {
  struct Row {
    std::uint64_t block_size;
    double waste_percent;
    std::uint64_t table_entries;
  };
  for (const Row& row :
       {Row{1, 0.0, 130}, Row{4, 4.4, 34}, Row{8, 9.7, 18}, Row{16, 18.8, 10}, Row{32, 32.3, 6}, Row{64, 49.2, 4}}) {
    CAPTURE(row.block_size);
    const Waste waste = paged_waste(kLengths, row.block_size);
    CHECK(waste.fraction() * 100 == percent(row.waste_percent));
    CHECK(waste.table_entries == row.table_entries);
  }
}

TEST_CASE("the formula and the pools agree about the waste") {
  NullSink sink;
  BlockPool pool(8, ascending_order(18), sink);
  ContiguousPool row(4 * kMaxLength, sink);
  std::vector<BlockTable> tables;
  std::uint32_t next = 0;
  for (const std::uint64_t length : kLengths) {
    const RequestId request{next++};
    tables.emplace_back(pool, request);
    REQUIRE(tables.back().append(static_cast<std::uint32_t>(length)));
    REQUIRE(row.reserve(request, kMaxLength));
    row.grow(request, static_cast<std::uint32_t>(length));
  }
  CHECK(paged_waste(kLengths, 8).table_entries == pool.num_blocks() - pool.num_free());
  CHECK(contiguous_waste(kLengths, kMaxLength).reserved == row.reserved_slots());
  CHECK(contiguous_waste(kLengths, kMaxLength).unused() == row.reserved_unused_slots());
}

TEST_CASE("impossible sizes are refused instead of wrapping around") {
  CHECK(paged_waste({}, 8).fraction() == 0.0);
  CHECK_THROWS_AS(paged_waste({17}, 0), InputError);
  CHECK_THROWS_AS(paged_waste({UINT64_MAX}, 8), InputError);
  CHECK_THROWS_AS(paged_waste({UINT64_MAX, 1}, 1), InputError);
  CHECK_THROWS_AS(contiguous_waste({65}, 64), InputError);
  CHECK_THROWS_AS(contiguous_waste({1, 1}, UINT64_MAX), InputError);
}

}  // namespace
}  // namespace kvarium
