#include "cpu_reference/thread_pool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace kvarium::cpu;

TEST_CASE("each task runs exactly once, whatever the number of threads and tasks") {
  const auto threads = GENERATE(0U, 1U, 2U, 5U);
  const auto tasks = GENERATE(0U, 1U, 2U, 3U, 1000U);
  ThreadPool pool(threads);
  CHECK(pool.threads() == (threads == 0 ? 1 : threads));
  std::vector<int> calls(tasks, 0);  // each entry is written by one task alone
  pool.for_each(tasks, [&](std::uint32_t i) { ++calls[i]; });
  CHECK(calls == std::vector<int>(tasks, 1));
}

TEST_CASE("a loop sees what the loop before it wrote, over thousands of short loops") {
  ThreadPool pool(3);
  std::array<std::uint64_t, 7> sums{};
  for (std::uint64_t round = 1; round <= 5000; ++round) {
    pool.for_each(7, [&](std::uint32_t i) { sums[i] += round + (i == 0 ? 0 : 1); });
  }
  CHECK(sums[0] == 5000 * 5001 / 2);
  CHECK(sums[6] == sums[0] + 5000);
}

TEST_CASE("threads that sleep wake up for the next loop and for the end") {
  ThreadPool pool(4);
  std::atomic<int> calls{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // long enough that all have gone to sleep
    pool.for_each(64, [&](std::uint32_t) { calls.fetch_add(1); });
  }
  CHECK(calls == 3 * 64);
}
