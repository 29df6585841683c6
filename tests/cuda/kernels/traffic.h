#pragma once
// How much global memory a kernel moves, to hold it to its header table.

#include <cstddef>

#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/options.h"

namespace kvarium_test {

struct Traffic {
  std::size_t bytes = 0;     ///< that lanes asked for
  std::size_t requests = 0;  ///< of warps
  std::size_t sectors = 0;
  std::size_t fewest_sectors = 0;
};

/// What `work` moves between global memory and the threads.
template <typename Work>
Traffic traffic_of(const Work& work) {
  namespace emulator = kvarium::cuda::emulator;
  emulator::AccessLog log;
  emulator::Emulation options;
  options.log = &log;
  {
    const emulator::UseEmulation use(options);
    work();
  }
  Traffic total;
  for (const emulator::LineCount& line : log.lines()) {
    if (line.space != emulator::Space::global) continue;
    total.bytes += line.bytes;
    total.requests += line.requests;
    total.sectors += line.answers;
    total.fewest_sectors += line.fewest_answers;
  }
  return total;
}

}  // namespace kvarium_test
