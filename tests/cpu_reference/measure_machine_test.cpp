#include "cpu_reference/measure_machine.h"

#include "core/cost/roofline.h"
#include "tests/support/catch.h"

using namespace kvarium;
using kvarium_test::contains;

TEST_CASE("this machine is measured: it reads, multiplies and says how that was found out") {
  const HardwareProfile machine = cpu::measure_machine();
  CHECK(machine.name == "this machine");
  CHECK(machine.memory.bytes_per_second > 1e6);  // a thousandth of the slowest machine that could build this
  CHECK(machine.flops_per_second > 1e6);
  CHECK(machine.memory_bytes > 1e8);
  CHECK(ridge_point(machine) > 0);
  CHECK_THAT(machine.source, contains("measured just now"));
}
