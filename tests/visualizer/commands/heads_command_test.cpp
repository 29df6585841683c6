#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/scratch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("heads measures every head, and names those with a pattern") {
  const Outcome outcome = run_kvarium("heads --stories 1 --repeat 32");
  CHECK(outcome.exit_code == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 1 + 6 * 6);
  CHECK_THAT(outcome.out, contains("previous token\n") && contains("induction\n") && contains("sink\n"));
  CHECK_THAT(outcome.error, contains("over 1 texts; induction over 32 random tokens"));
}

TEST_CASE("heads refuses texts that tell nothing, in one line") {
  const ScratchFolder folder;
  const std::string brief = folder.write("brief.txt", "One day.").string();
  check_refused("heads --text '" + brief + "' --repeat 2", "too short to tell heads apart");
  const std::string same = folder.write("same.txt", "a a a a a a a a a a a a").string();
  check_refused("heads --text '" + same + "'", "different tokens, and 64 are to be repeated");
  check_refused("heads --repeat 300", "do not fit into the context of 512");
  check_refused("heads --text no/such/file", "no/such/file: it cannot be read");
  check_refused("heads --model no/such/model.gguf", "no/such/model.gguf");
}
