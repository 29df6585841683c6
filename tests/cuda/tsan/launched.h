#pragma once
// Launches that ThreadSanitizer watches, with the emulator's own checks off.

#include "cuda/simt/emulator/options.h"
#include "tests/cuda/tsan/reports.h"

namespace kvarium_test {

/// Reports while `work` runs.
template <typename Work>
int reports_of(kvarium::cuda::emulator::Emulation options, const Work& work) {
  options.check_races = false;
  options.check_initialised = false;
  const kvarium::cuda::emulator::UseEmulation use(options);
  const int before = num_race_reports();
  work();
  return num_race_reports() - before;
}

}  // namespace kvarium_test
