#pragma once
// Rungs of the kernels, one beside the other: on a device with times against what the device can do at best, in the
// emulator with the bytes that they move and nothing else.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cuda/simt/host.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// One rung on one problem.
struct Job {
  std::string kernel, rung, problem;
  double bytes = 0;  ///< that have to be read and written at least
  double flops = 0;  ///< multiplications and additions that have to be done at least
  std::function<void(Stream&)> run;
};

/// How often it took how long, or what it moved.
struct Measured {
  int runs = 0;
  double median_seconds = 0, fastest_seconds = 0, slowest_seconds = 0;  ///< on a device
  double moved_bytes = 0;                                               ///< in the emulator: asked for by lanes
  double sectors = 0;                                                   ///< of 32 bytes
};

/// Runs a job until its median can be trusted; in the emulator once.
Measured measure(const Job& job);

/// What the best possible kernel is held to; 0 where nothing was measured.
struct Floors {
  std::string device;         ///< its name, or "emulated"
  double copy_bandwidth = 0;  ///< bytes a second, read and written ones counted
  double matrix_rate = 0;     ///< operations a second of a BF16 product by cuBLAS
  bool is_emulated() const { return copy_bandwidth == 0; }
};
Floors measure_floors();

struct Row {
  Job job;
  Measured measured;
};

/// One table of all rows, in words.
std::string table(const Floors& floors, const std::vector<Row>& rows);
/// The same as JSON.
std::string json(const Floors& floors, const std::vector<Row>& rows);

/// How large the problems are: a device's are many times its caches, the emulator's are there to be run at all.
inline constexpr bool kIsLarge = SIMT_ON_DEVICE != 0;

/// The ladders. Each measures its rungs as it is called, since their problems would not fit into memory together.
void bench_cache(const std::function<void(const Job&)>& run);
void bench_dense(const std::function<void(const Job&)>& run);
void bench_decode(const std::function<void(const Job&)>& run);
void bench_prefill(const std::function<void(const Job&)>& run);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
