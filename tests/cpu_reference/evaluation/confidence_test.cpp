#include "cpu_reference/evaluation/confidence.h"

#include <vector>

#include "tests/support/catch.h"

using namespace kvarium::cpu;
using kvarium_test::Approx;

namespace {

void check_interval(const Interval& interval, double low, double high) {
  CHECK(interval.low == Approx(low).margin(5e-5));
  CHECK(interval.high == Approx(high).margin(5e-5));
}

}  // namespace

TEST_CASE("Wilson's interval has its known values, also where nothing or all went well") {
  check_interval(wilson_interval(95, 100), 0.8882, 0.9785);
  check_interval(wilson_interval(81, 263), 0.2553, 0.3662);  // the example of Newcombe 1998, table I
  check_interval(wilson_interval(15, 148), 0.0624, 0.1605);  // and its second
  check_interval(wilson_interval(0, 20), 0, 0.1611);         // and its third
  check_interval(wilson_interval(20, 20), 1 - 0.1611, 1);    // as the third, of the failures
  check_interval(wilson_interval(1, 29), 0.0061, 0.1718);    // and its fourth
  check_interval(wilson_interval(0, 0), 0, 1);               // nothing was asked: nothing is known
}

TEST_CASE("a ratio of sums counts each trial the same, and its interval comes from how much the texts differ") {
  const std::vector<TextSum> texts{{2, 1}, {4, 3}, {6, 2}};
  CHECK(ratio(texts) == Approx(12.0 / 6));
  // What each text lies apart from twice its count: 0, -2, 2. Their squares, 8, times 3 / 2, over 6 * 6: 1 / 3.
  const double half = 1.959964 * std::sqrt(1.0 / 3);
  check_interval(ratio_interval(texts).value(), 2 - half, 2 + half);
  const std::vector<TextSum> alike{{1, 2}, {2, 4}};
  check_interval(ratio_interval(alike).value(), 0.5, 0.5);
}

TEST_CASE("of one text nobody knows how much texts differ") {
  const std::vector<TextSum> one{{2, 4}}, one_with_trials{{2, 4}, {0, 0}};
  CHECK(!ratio_interval(one));
  CHECK(!ratio_interval(one_with_trials));
  CHECK(ratio({}) == 0);
  check_interval(share_interval(one), wilson_interval(2, 4).low, wilson_interval(2, 4).high);
}

TEST_CASE("trials of texts that are all or nothing tell as much as one trial a text") {
  // 10 texts of 100 trials: 5 go well as a whole, 5 fail as a whole.
  std::vector<TextSum> texts;
  for (int i = 0; i < 10; ++i) texts.push_back({i % 2 == 0 ? 100.0 : 0.0, 100});
  // Their share scatters as that of 0.25 / (0.25 / 9) = 9 independent trials: N - 1, because the mean is theirs too.
  check_interval(share_interval(texts), wilson_interval(4.5, 9).low, wilson_interval(4.5, 9).high);
}

TEST_CASE("trials of texts that do not differ count as independent ones, and no more") {
  const std::vector<TextSum> texts(10, TextSum{50, 100}), perfect(10, TextSum{100, 100});
  check_interval(share_interval(texts), wilson_interval(500, 1000).low, wilson_interval(500, 1000).high);
  check_interval(share_interval(perfect), wilson_interval(1000, 1000).low, 1);
}
