// Times on a device, bytes in the emulator, and what a device can do at best.

#include <algorithm>

#include "cuda/bench/bench.h"

#if SIMT_ON_DEVICE
#ifdef KVARIUM_CUBLAS
#include <cublas_v2.h>
#endif
#else
#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/options.h"
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#if SIMT_ON_DEVICE

namespace {

double seconds_of(const std::function<void(Stream&)>& run, Stream& stream) {
  const Event begin = stream.record();
  run(stream);
  const Event end = stream.record();
  stream.synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading a clock");
  return static_cast<double>(milliseconds) / 1e3;
}

double copy_bandwidth() {
  const std::size_t count = std::size_t{1} << 30U;
  DeviceBuffer<char> from(count, "bandwidth, from"), to(count, "bandwidth, to");
  const Job job = {"", "", "", 0, 0, [&](Stream& stream) {
                     check(cudaMemcpyAsync(to.ptr(), from.ptr(), count, cudaMemcpyDeviceToDevice, stream.get()),
                           "copying on the device");
                   }};
  return 2.0 * static_cast<double>(count) / measure(job).median_seconds;
}

double matrix_rate() {
#ifdef KVARIUM_CUBLAS
  constexpr int kSize = 8192;
  const std::size_t count = std::size_t{kSize} * kSize;
  DeviceBuffer<unsigned short> a(count, "product, a"), b(count, "product, b"), c(count, "product, c");
  Stream zeroing;
  a.zero(zeroing);
  b.zero(zeroing);
  zeroing.synchronize();
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 0;
  const float one = 1, zero = 0;
  bool is_right = true;
  const Job job = {"", "", "", 0, 0, [&](Stream& stream) {
                     cublasSetStream(handle, stream.get());
                     is_right &=
                         cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kSize, kSize, kSize, &one, a.ptr(), CUDA_R_16BF,
                                      kSize, b.ptr(), CUDA_R_16BF, kSize, &zero, c.ptr(), CUDA_R_16BF, kSize,
                                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
                   }};
  const double seconds = measure(job).median_seconds;
  cublasDestroy(handle);
  return is_right ? 2.0 * kSize * kSize * kSize / seconds : 0;
#else
  return 0;
#endif
}

}  // namespace

Measured measure(const Job& job) {
  constexpr int kWarmUp = 3, kMostRuns = 50;
  constexpr double kEnoughSeconds = 0.5;
  Stream stream;
  for (int i = 0; i < kWarmUp; ++i) job.run(stream);
  stream.synchronize();
  std::vector<double> seconds;
  double sum = 0;
  while (static_cast<int>(seconds.size()) < kMostRuns && (sum < kEnoughSeconds || seconds.size() < 5)) {
    seconds.push_back(seconds_of(job.run, stream));
    sum += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  Measured measured;
  measured.runs = static_cast<int>(seconds.size());
  measured.median_seconds = seconds[seconds.size() / 2];
  measured.fastest_seconds = seconds.front();
  measured.slowest_seconds = seconds.back();
  return measured;
}

Floors measure_floors() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the device's name");
  return {properties.name, copy_bandwidth(), matrix_rate()};
}

#else

Measured measure(const Job& job) {
  emulator::AccessLog log;
  emulator::Emulation options;
  options.log = &log;
  {
    const emulator::UseEmulation use(options);
    Stream stream;
    job.run(stream);
    stream.synchronize();
  }
  Measured measured;
  measured.runs = 1;
  for (const emulator::LineCount& line : log.lines()) {
    if (line.space != emulator::Space::global) continue;
    measured.moved_bytes += static_cast<double>(line.bytes);
    measured.sectors += static_cast<double>(line.answers);
  }
  return measured;
}

Floors measure_floors() { return {"emulated", 0, 0}; }

#endif

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
