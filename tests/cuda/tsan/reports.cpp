#include "tests/cuda/tsan/reports.h"

#include <atomic>

namespace {
std::atomic<int> num_reports{0};
}

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): hooks that ThreadSanitizer calls.
extern "C" void __tsan_on_report(void*) { ++num_reports; }
/// The tests count the reports; the exit code is theirs.
extern "C" const char* __tsan_default_options() { return "exitcode=0 suppress_equal_addresses=0 atexit_sleep_ms=0"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace kvarium_test {

int num_race_reports() { return num_reports; }

}  // namespace kvarium_test
