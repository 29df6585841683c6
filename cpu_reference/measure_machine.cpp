#include "cpu_reference/measure_machine.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "core/words/words.h"
#include "cpu_reference/matrix.h"

namespace kvarium::cpu {
namespace {

constexpr std::size_t kFloatsRead = std::size_t{64} << 20U;  // 256 MiB, of all threads together
constexpr Index kSide = 384;                                 // of the square matrices
constexpr int kReadTries = 6, kProductTries = 6;

#ifdef NDEBUG
constexpr std::string_view kBuild = "";
#else
constexpr std::string_view kBuild = ", in a debug build: far slower than a release";
#endif

unsigned num_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Runs task(thread) on all threads and returns the seconds until the last one is done.
double timed(const std::function<void(unsigned)>& task) {
  std::atomic<unsigned> waiting{num_threads()};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < num_threads(); ++i) {
    threads.emplace_back([&, i] {
      --waiting;
      while (!go.load()) std::this_thread::yield();
      task(i);
    });
  }
  while (waiting.load() > 0) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  go = true;
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double read_bandwidth() {
  const std::size_t each = kFloatsRead / num_threads();
  std::vector<Eigen::ArrayXf> parts(num_threads());
  timed([&](unsigned i) { parts[i] = Eigen::ArrayXf::Constant(static_cast<Index>(each), 1.0F); });
  std::atomic<float> sum{0};  // used, so that nothing can be left out
  double best = 1e9;
  for (int i = 0; i < kReadTries; ++i) best = std::min(best, timed([&](unsigned t) { sum = parts[t].sum(); }));
  return static_cast<double>(each * num_threads() * sizeof(float)) / best;
}

double product_rate() {
  std::vector<Matrix> left(num_threads()), right(num_threads()), product(num_threads());
  timed([&](unsigned i) {
    left[i] = right[i] = Matrix::Constant(kSide, kSide, 0.5F);
    product[i] = Matrix::Zero(kSide, kSide);
  });
  double best = 1e9;
  for (int i = 0; i < kProductTries; ++i) {
    best = std::min(best, timed([&](unsigned t) { product[t].noalias() = left[t] * right[t]; }));
  }
  return 2.0 * static_cast<double>(kSide * kSide * kSide) * num_threads() / best;
}

}  // namespace

HardwareProfile measure_machine() {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return {std::string(tr("this machine")),
          product_rate(),
          {"memory", read_bandwidth()},
          memory,
          tr_format("measured just now by this program: FP32 products and reads on {} threads{}", num_threads(),
                    tr(kBuild))};
}

}  // namespace kvarium::cpu
