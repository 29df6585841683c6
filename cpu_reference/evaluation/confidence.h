#pragma once
// How sure a measured figure is: intervals that hold the true value in 95 of 100 repetitions of the measurement.

#include <optional>
#include <span>

namespace kvarium::cpu {

struct Interval {
  double low = 0;
  double high = 0;
};

/// What one text adds to a figure: `count` trials and the sum of what came of them.
struct TextSum {
  double sum = 0;
  double count = 0;
};

/// The sums, or the counts, of all texts together.
double total(std::span<const TextSum> texts, double TextSum::*field);

/// The sum of the sums over the sum of the counts; 0 without a trial.
double ratio(std::span<const TextSum> texts);

/// Of a share of independent trials, 0 <= successes <= trials (Wilson 1927). Unlike share +- error it stays inside
/// [0, 1] and says something of 0 and of all successes. Without a trial: [0, 1].
Interval wilson_interval(double successes, double trials);

/// Of a share whose trials come in texts. Those of one text are alike, so they tell less than as many independent ones:
/// Wilson's interval of the number of independent trials whose share would scatter as much as this one does between
/// texts (Kish 1965, the design effect), at most of all trials. Each sum is at most its count.
Interval share_interval(std::span<const TextSum> texts);

/// Of ratio(), from how much the texts differ (the normal approximation of a ratio estimate; too narrow for fewer than
/// about 30 texts). Nothing for fewer than 2 texts with a trial.
std::optional<Interval> ratio_interval(std::span<const TextSum> texts);

}  // namespace kvarium::cpu
