// Each line of a kernel that orders memory is left out once: the emulator must notice every time.

#include <string>
#include <vector>

#include "cuda/kernels/rms_norm.cuh"
#include "cuda/simt/emulator/options.h"
#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using emulator::Emulation;
using emulator::Site;
using emulator::UseEmulation;
using kvarium_test::fault_of;

namespace {

/// The lines of `work` that order memory.
template <typename Work>
std::vector<Site> orderings_of(const Work& work) {
  std::vector<Site> sites;
  Emulation options;
  options.orderings = &sites;
  const UseEmulation use(options);
  work();
  return sites;
}

/// What is noticed without the line, in one order of threads; "" when nothing is.
template <typename Work>
std::string noticed(const Work& work, const Site& without, emulator::ThreadOrder order) {
  Emulation options;
  options.order = order;
  options.without = without;
  const UseEmulation use(options);
  return fault_of(work);
}

void run_rms_norm() {
  const DeviceBuffer<float> x(std::vector<float>(std::size_t{2} * 256, 1.0F), "x");
  const DeviceBuffer<float> weight(std::vector<float>(256, 1.0F), "weight");
  DeviceBuffer<float> y(std::size_t{2} * 256, "y");
  Stream stream;
  rms_norm<float>(RmsNormRung::block_a_token, stream, x.ptr(), weight.ptr(), 1e-5F, y.ptr(), 2, 256);
  stream.synchronize();
}

}  // namespace

TEST_CASE("mutants: rms_norm without its barrier is noticed in every order of threads") {
  const std::vector<Site> sites = orderings_of(run_rms_norm);
  REQUIRE(sites.size() == 1);
  for (const auto order : kvarium_test::kOrders) {
    CHECK(noticed(run_rms_norm, sites[0], order) != "");
    CHECK(noticed(run_rms_norm, Site{}, order) == "");
  }
}
