#pragma once
// A kernel that the emulator runs to its end while it counts what the lanes ask of memory: for lessons that compare
// kernels.

#include <string>
#include <vector>

#include "cuda/demos/demo.h"
#include "cuda/simt/emulator/access_log.h"

namespace kvarium {

struct MeasuredKernel {
  explicit MeasuredKernel(cuda::demos::Instance& instance);

  /// Of these buffers or shared arrays, all lines that read them.
  cuda::emulator::LineCount reads(const std::vector<std::string>& regions) const;

  cuda::emulator::AccessLog log;
  cuda::demos::Output result;  ///< its first output
};

/// The captions of rows of a ladder; `counted`: what the bytes are of.
std::string ladder_heads(const std::string& counted);
/// "tiled      16.0 KiB      32.0 ...": bytes read of `regions`, how many times fewer than in the first rung, sectors
/// and wavefronts of the whole kernel.
std::string ladder_row(const std::string& name, const MeasuredKernel& rung, const MeasuredKernel& first,
                       const std::vector<std::string>& regions);

/// The Kernel tab, and this rung of a kernel after its first barrier.
std::vector<std::string> points_to_rung(const char* kernel, const char* rung);

}  // namespace kvarium
