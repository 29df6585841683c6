#pragma once
// Kernels with one line left out that orders memory: the emulator must notice every time.

#include <string>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

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

/// Leaves each of the `count` ordering lines of `work` out, in every order of threads.
template <typename Work>
void expect_all_needed(const Work& work, std::size_t count) {
  using kvarium::cuda::emulator::Site;
  const std::vector<Site> sites = orderings_of(work);
  REQUIRE(sites.size() == count);
  for (const auto order : kOrders) {
    for (const Site& site : sites) {
      INFO(kvarium::cuda::emulator::text_of(site));
      CHECK(noticed(work, site, order) != "");
    }
    CHECK(noticed(work, Site{}, order) == "");
  }
}

}  // namespace kvarium_test
