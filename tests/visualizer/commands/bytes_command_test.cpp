
#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

TEST_CASE("bytes prints the size of a known model's cache") {
  const Outcome outcome = run_kvarium("bytes --shape llama-2-70b --tokens 4096 --dtype fp16");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("1.25 GiB"));
  CHECK(outcome.error.empty());
}

TEST_CASE("bytes --list prints the names, one a line, and each of them works") {
  const Outcome outcome = run_kvarium("bytes --list");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("llama-2-70b\n"));
  CHECK_THAT(outcome.out, contains("deepseek-v3\n"));
}

TEST_CASE("bytes says in one line what is wrong, and returns 2") {
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"bytes --shape no-such-model", "no-such-model"},
           {"bytes --shape llama-2-70b --tokens 0", "tokens"},
           {"bytes --shape llama-2-70b --tokens -4", "-4"},
           {"bytes --shape llama-2-70b --tokens 99999999999999999999", "99999999999999999999"},
           {"bytes --shape llama-2-70b --tokens 18446744073709551615", "64 bits"},
           {"bytes --shape llama-2-70b --dtype fp17", "fp17"},
           {"bytes", "--shape"},
           {"bytes --shape", "--shape"},
           {"bytes --colour", "--colour"},
           {"dance", "dance"},
       }) {
    check_refused(arguments, part);
  }
}

TEST_CASE("with --help the program explains itself and each command with an example") {
  for (const std::string command : {"", "bytes", "generate", "replay", "roofline", "text", "view"}) {
    INFO(command);
    const Outcome outcome = run_kvarium(command + " --help");
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, contains("Example: kvarium "));
  }
}

TEST_CASE("a full disk is an error; a reader who stops reading is none") {
  const Outcome closed = run_kvarium("bytes --list | true");
  CHECK(closed.exit_code == 0);
  CHECK(closed.error.empty());
  if (!has_full_device()) return;
  const Outcome full = run_kvarium("bytes --list >/dev/full");
  CHECK(full.exit_code == 2);
  CHECK_THAT(full.error, contains("cannot write to standard output: No space left on device"));
}

TEST_CASE("without a command the window opens; without a display one line says what else there is") {
  const Outcome outcome = run_kvarium("");
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.error, contains("kvarium: cannot open a window"));
  CHECK_THAT(outcome.error, contains("kvarium view --screenshot"));
}
