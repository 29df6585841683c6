#pragma once
// How much global memory a kernel moves, to hold it to its header table.

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/options.h"

namespace kvarium_test {

struct Traffic {
  std::size_t bytes = 0;     ///< that lanes asked for
  std::size_t requests = 0;  ///< of warps
  std::size_t sectors = 0;
  std::size_t fewest_sectors = 0;
};

/// The lines of kernels that `work` runs, with what they ask of memory.
template <typename Work>
std::vector<kvarium::cuda::emulator::LineCount> lines_of(const Work& work) {
  namespace emulator = kvarium::cuda::emulator;
  emulator::AccessLog log;
  emulator::Emulation options;
  options.log = &log;
  const emulator::UseEmulation use(options);
  work();
  return log.lines();
}

/// What `work` moves between global memory and the threads; of one buffer, when it is named.
template <typename Work>
Traffic traffic_of(const Work& work, const std::string& buffer = "") {
  Traffic total;
  for (const kvarium::cuda::emulator::LineCount& line : lines_of(work)) {
    if (line.space != kvarium::cuda::emulator::Space::global || (!buffer.empty() && line.region != buffer)) continue;
    total.bytes += line.bytes;
    total.requests += line.requests;
    total.sectors += line.answers;
    total.fewest_sectors += line.fewest_answers;
  }
  return total;
}

}  // namespace kvarium_test
