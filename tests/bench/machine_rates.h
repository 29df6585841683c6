#pragma once
// What the machine gives at best, measured in the same run as what is compared with it.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/lanes.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium_bench {

using namespace kvarium::cpu;

/// With one thread the processor time, so that other programs cost nothing but the caches that they share; with more
/// the time on the clock, since a thread that waits for another takes no processor time.
inline double seconds_now(std::uint32_t threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of the fastest tenth of `tries` calls.
template <class Call>
double fast_seconds(int tries, std::uint32_t threads, const Call& call) {
  std::vector<double> seconds;
  for (int i = 0; i < tries; ++i) {
    const double start = seconds_now(threads);
    call();
    seconds.push_back(seconds_now(threads) - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 10];
}

/// The sum of `count` floats, read in 8 streams, as a product with 8 rows of a weight reads them.
inline float sum_in_streams(const float* numbers, std::uint64_t count) {
  const std::uint64_t of_stream = count / 8 / kLanes * kLanes;
  Lanes sums[8] = {};
  for (std::uint64_t i = 0; i < of_stream; i += kLanes) {
    for (std::uint64_t s = 0; s < 8; ++s) sums[s] += load_lanes(numbers + s * of_stream + i);
  }
  for (int s = 1; s < 8; ++s) sums[0] += sums[s];
  return sum_of_lanes(sums[0]);
}

/// Bytes a second of a sum over 1 GiB of memory, more than any cache holds.
class ReadBandwidth {
 public:
  double operator()(ThreadPool& threads) {
    constexpr std::uint32_t kParts = 512;
    const std::uint64_t of_part = numbers_.size() / kParts;
    std::vector<float> sums(kParts);
    const double seconds = fast_seconds(20, threads.threads(), [&] {
      threads.for_each(kParts,
                       [&](std::uint32_t p) { sums[p] = sum_in_streams(numbers_.data() + p * of_part, of_part); });
    });
    volatile float used = *std::max_element(sums.begin(), sums.end());
    static_cast<void>(used);
    return static_cast<double>(numbers_.size() * sizeof(float)) / seconds;
  }

 private:
  AlignedBuffer numbers_{std::uint64_t{1} << 28U, 1.0F, "the array that is read"};
};

/// Operations a second of Eigen's product of square matrices, one product a thread.
inline double product_rate(ThreadPool& threads) {
  constexpr Index kSide = 1024;
  std::vector<Matrix> left(threads.threads(), Matrix::Constant(kSide, kSide, 0.5F)), right = left, product = left;
  const double seconds = fast_seconds(20, threads.threads(), [&] {
    threads.for_each(threads.threads(), [&](std::uint32_t t) { product[t].noalias() = left[t] * right[t]; });
  });
  return 2.0 * static_cast<double>(kSide * kSide * kSide) * threads.threads() / seconds;
}

}  // namespace kvarium_bench
