#include "cpu_reference/measure_machine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "core/words/words.h"
#include "cpu_reference/aligned_buffer.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {
namespace {

constexpr std::uint32_t kPieces = 256;       // that the threads take one after the other
constexpr Index kPiece = Index{256} * 1024;  // floats: 1 MiB
constexpr Index kSide = 384;                 // of the square matrices
constexpr int kTries = 6;

#ifdef NDEBUG
constexpr std::string_view kBuild = "";
#else
constexpr std::string_view kBuild = ", in a debug build: far slower than a release";
#endif

template <class Task>
double timed(ThreadPool& pool, std::uint32_t count, const Task& task) {
  const auto start = std::chrono::steady_clock::now();
  pool.for_each(count, task);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double read_bandwidth(ThreadPool& pool) {
  const Eigen::ArrayXf floats = Eigen::ArrayXf::Constant(kPieces * kPiece, 1.0F);
  std::vector<float> sums(kPieces);  // used, so that nothing can be left out
  const auto read = [&](std::uint32_t i) { sums[i] = floats.segment(i * kPiece, kPiece).sum(); };
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) best = std::min(best, timed(pool, kPieces, read));
  return static_cast<double>(floats.size()) * sizeof(float) / best;
}

double product_rate(ThreadPool& pool) {
  const std::uint32_t count = 2 * pool.threads();
  const Matrix left = Matrix::Constant(kSide, kSide, 0.5F), right = left;
  std::vector<Matrix> products(count, Matrix::Zero(kSide, kSide));
  const auto multiply = [&](std::uint32_t i) { products[i].noalias() = left * right; };
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) best = std::min(best, timed(pool, count, multiply));
  return 2.0 * static_cast<double>(kSide * kSide * kSide) * count / best;
}

}  // namespace

HardwareProfile measure_machine() {
  ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
  return {std::string(tr("this machine")),
          product_rate(pool),
          {"memory", read_bandwidth(pool)},
          static_cast<double>(machine_memory()),
          tr_format("measured just now by this program: FP32 products and reads on {} threads{}", pool.threads(),
                    tr(kBuild))};
}

}  // namespace kvarium::cpu
