#include <algorithm>
#include <filesystem>

#include "core/trace/trace_io.h"
#include "tests/support/catch.h"
#include "tests/support/run_program.h"

using namespace kvarium_test;

TEST_CASE("a piped lesson prints its whole text, plain, and says where to read on") {
  const Outcome outcome = run_program(LESSON_04, "");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.empty());
  CHECK_THAT(outcome.out, contains("04 Paged blocks"));
  CHECK_THAT(outcome.out, contains("docs/lessons/04_paged_blocks.md"));
  CHECK(outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE("without a UTF-8 locale a lesson prints ASCII only") {
  const Outcome outcome = run_program("/usr/bin/env", std::string("LC_ALL=C '") + LESSON_01 + "'");
  CHECK(outcome.exit_code == 0);
  CHECK(
      std::all_of(outcome.out.begin(), outcome.out.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  CHECK(outcome.out.find('?', outcome.out.find("sqrt")) != std::string::npos);  // the questions' own marks
  CHECK_THAT(outcome.out, contains("q . k_i / sqrt d"));
}

TEST_CASE("a lesson with --check says how much was compared, and nothing else") {
  const Outcome outcome = run_program(LESSON_01, "--check");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("01_why_a_cache: 8 answers and claims, all as the engine computed them\n"));
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 1);
}

TEST_CASE("a lesson with --record writes a trace with the lesson's words in it") {
  const std::string path = scratch("lesson.jsonl");
  const Outcome outcome = run_program(LESSON_04, "--check --record '" + path + "'");
  CHECK(outcome.exit_code == 0);
  const kvarium::ReadTrace read = kvarium::read_trace(path);
  CHECK(read.warning.empty());
  CHECK(read.trace->newest().lesson_title == "04 Paged blocks");
  CHECK(read.trace->num_steps() == 48);
  std::filesystem::remove(path);
}

TEST_CASE("a lesson refuses unknown flags and a file that cannot be written, in one line") {
  for (const std::string arguments : {"--loud", "--record", "--check --record /no/such/folder/t.jsonl"}) {
    INFO(arguments);
    const Outcome outcome = run_program(LESSON_01, arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error.rfind("01_why_a_cache: ", 0) == 0);
    CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
  }
  CHECK(run_program(LESSON_01, "--help").exit_code == 0);
}
