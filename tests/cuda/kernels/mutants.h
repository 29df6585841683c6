#pragma once
// Kernels with one line left out that orders memory: the emulator must notice every time.

#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"

namespace kvarium_test {

/// The lines of `work` that order memory.
template <typename Work>
std::vector<kvarium::cuda::emulator::Site> orderings_of(const Work& work) {
  std::vector<kvarium::cuda::emulator::Site> sites;
  kvarium::cuda::emulator::Emulation options;
  options.orderings = &sites;
  const kvarium::cuda::emulator::UseEmulation use(options);
  work();
  return sites;
}

/// What is noticed without the line, in one order of threads; "" when nothing is.
template <typename Work>
std::string noticed(const Work& work, const kvarium::cuda::emulator::Site& without,
                    kvarium::cuda::emulator::ThreadOrder order,
                    kvarium::cuda::emulator::CopyTime copies = kvarium::cuda::emulator::CopyTime::lazy) {
  kvarium::cuda::emulator::Emulation options;
  options.order = order;
  options.copies = copies;
  options.without = without;
  const kvarium::cuda::emulator::UseEmulation use(options);
  return fault_of(work);
}

}  // namespace kvarium_test
