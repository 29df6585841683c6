#pragma once
// How often ThreadSanitizer has complained.

namespace kvarium_test {

/// Since the program began. One mistake in one pair of lines is told once.
int num_race_reports();

}  // namespace kvarium_test
