#include "cpu_reference/lanes.h"

#include <random>

#include "tests/support/catch.h"

using namespace kvarium::cpu;

TEST_CASE("the sums of many vectors at once have the bits of each vector's own sum") {
  std::mt19937_64 draws(3);
  for (int i = 0; i < 200; ++i) {
    Lanes vectors[kLanes];
    for (Lanes& vector : vectors) {
      for (Index lane = 0; lane < kLanes; ++lane) {
        vector[lane] = (static_cast<float>(draws() >> 40) - 0x1p23F) * static_cast<float>(1 << draws() % 20);
      }
    }
    float sums[kLanes];
    store_lanes(sums_of_lanes(vectors), sums);
    for (Index v = 0; v < kLanes; ++v) CHECK(sums[v] == sum_of_lanes(vectors[v]));
  }
}
