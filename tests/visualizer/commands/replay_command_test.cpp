#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

namespace {

/// A recording of a short answer, removed at the end.
struct Recorded {
  Recorded() {
    const Outcome outcome =
        run_kvarium("generate --prompt 'Once there was a' --tokens 6 --block-size 4 --record '" + path + "'");
    REQUIRE(outcome.exit_code == 0);
  }
  ~Recorded() { std::filesystem::remove(path); }
  std::string path = scratch("recorded.jsonl");
  std::string quoted = "'" + path + "'";
};

}  // namespace

TEST_CASE("replay tells a recording in sentences, and any step of it as a state") {
  const Recorded recorded;
  const Outcome sentences = run_kvarium("replay " + recorded.quoted + " --text");
  CHECK(sentences.exit_code == 0);
  CHECK(sentences.error.empty());
  CHECK(std::count(sentences.out.begin(), sentences.out.end(), '\n') > 40);
  CHECK_THAT(sentences.out, contains("equest A"));
  const Outcome windowless = run_kvarium("replay " + recorded.quoted);
  CHECK(windowless.out == sentences.out);
  CHECK(windowless.error == "kvarium: there is no display to play it on; this is what happened, in words\n");
  const Outcome state = run_kvarium("replay " + recorded.quoted + " --step 2");
  CHECK_THAT(state.out, contains("step 2"));
  CHECK_THAT(state.out, contains("6 tokens"));  // 5 of the prompt and the first new one
  CHECK(state.out == run_kvarium("text --trace " + recorded.quoted + " --step 2").out);
}

TEST_CASE("replay salvages a recording that was cut off, and says so") {
  const Recorded recorded;
  const std::string whole = read_file(recorded.path);
  write_file(recorded.path, whole.substr(0, whole.size() - 10));
  const Outcome outcome = run_kvarium("replay " + recorded.quoted + " --text");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.rfind("kvarium: ", 0) == 0);
  CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
}

TEST_CASE("replay refuses another schema version, and what is no trace, in one line") {
  const Recorded recorded;
  const std::string whole = read_file(recorded.path);
  const std::size_t first_line = whole.find('\n');
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    write_file(recorded.path, bytes);
    const Outcome outcome = run_kvarium("replay " + recorded.quoted + " --text");
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
    CHECK_THAT(outcome.error, contains(part));
  };
  std::string future = whole;
  future.replace(0, first_line, R"({"kvarium_trace":99})");
  refused(future, "99");
  refused("", recorded.path);
  refused("what is this?\n", recorded.path);
  refused(whole.substr(0, first_line + 1) + "{\"nonsense\":1}\n" + whole.substr(first_line + 1), "line 2");
  CHECK(run_kvarium("replay /no/such/file.jsonl").exit_code == 2);
  CHECK(run_kvarium("replay").exit_code == 2);
}
