#include "core/cost/units.h"

#include "tests/support/catch.h"

namespace kvarium {
namespace {

TEST_CASE("numbers are grouped in threes") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(1342177280) == "1,342,177,280");
  CHECK(with_commas(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("sizes have three digits, also where rounding adds one") {
  CHECK(three_digits(0.3125) == "0.312");
  CHECK(three_digits(0.99951) == "1.00");
  CHECK(three_digits(9.994) == "9.99");
  CHECK(three_digits(9.996) == "10.0");
  CHECK(three_digits(99.96) == "100");
  CHECK(three_digits(1012.2) == "1012");
}

TEST_CASE("binary and decimal units are 7 % apart at a gigabyte") {
  CHECK(size_in_words(2147483648) == "2,147,483,648 B = 2.00 GiB = 2.15 GB");
  CHECK(size_in_words(999) == "999 B");
  CHECK(binary_size(1023) == "1023 B");
  CHECK(decimal_size(1000) == "1.00 kB");
  CHECK(binary_size(UINT64_MAX) == "16.0 EiB");
  CHECK(decimal_size(UINT64_MAX) == "18.4 EB");
}

TEST_CASE("durations are told in the unit that fits") {
  CHECK(duration(1.6667) == "1.67 s");
  CHECK(duration(0.000597) == "0.597 ms");
  CHECK(duration(0.0000114) == "11.4 us");
}

}  // namespace
}  // namespace kvarium
