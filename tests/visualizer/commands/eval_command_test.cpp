#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using kvarium_test::check_refused;
using kvarium_test::contains;
using kvarium_test::Outcome;
using kvarium_test::run_kvarium;
using kvarium_test::ScratchFolder;

namespace {

const std::string kStory = R"({"kind": "story", "text": "Once upon a time there was a little girl."})"
                           "\n";
const std::string kSet =
    kStory + kStory +
    R"({"kind": "recall", "prompt": "The code is 47. Tom ran. What is the code? It is", "answer": " 47", "distance": 10})"
    "\n"
    R"({"kind": "list", "prompt": "List: hat, key. Again:", "answer": " hat, key", "items": 2})"
    "\n";

/// A held-out set in a folder of its own.
struct SetFile {
  explicit SetFile(const std::string& text) : path("'" + folder.write("set.jsonl", text).string() + "'") {}
  ScratchFolder folder;
  std::string path;  ///< quoted for the shell
};

}  // namespace

TEST_CASE("eval tells how well stories are foreseen, codes recalled and lists repeated, and how sure that is") {
  const SetFile set(kSet);
  const Outcome outcome = run_kvarium("eval --set " + set.path);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains(", cache paged: 4 texts of "));
  CHECK_THAT(outcome.out, contains("\nperplexity "));
  CHECK_THAT(outcome.out, contains(" tokens predicted in 2 stories\n"));
  CHECK_THAT(outcome.out, contains("\n  distance    10  "));
  CHECK_THAT(outcome.out, contains("\n  items        2  "));
  CHECK_THAT(outcome.out, contains(" of 1 "));
  CHECK(outcome.out.find("left out") == std::string::npos);
  CHECK(outcome.out.find("acceptance") == std::string::npos);
}

TEST_CASE("eval prints the same figures as JSON, alike for each cache") {
  const SetFile set(kSet);
  nlohmann::json first;
  for (const char* cache : {"paged", "contiguous", "none"}) {
    CAPTURE(cache);
    const Outcome outcome = run_kvarium("eval --json --set " + set.path + " --cache " + cache);
    REQUIRE(outcome.exit_code == 0);
    const auto report = nlohmann::json::parse(outcome.out);
    CHECK(report.at("cache") == cache);
    CHECK(report.at("texts") == 4);
    CHECK(report.at("too_long") == 0);
    CHECK(report.at("acceptance").is_null());
    if (first.is_null()) first = report;
    CHECK(report.at("recall") == first.at("recall"));
    CHECK(report.at("list") == first.at("list"));
    const double perplexity = report.at("stories").at("perplexity");
    // The caches add the same float products in other orders: 1e-4 is a thousand times their rounding.
    CHECK(perplexity == kvarium_test::Approx(first.at("stories").at("perplexity").get<double>()).epsilon(1e-4));
    CHECK(report.at("stories").at("interval").size() == 2);
  }
  CHECK(first.at("recall").at(0).at("distance") == 10);
  CHECK(first.at("recall").at(0).at("asked") == 1);
  CHECK(first.at("recall").at(0).at("mean_distance") > 5);
  CHECK(first.at("list").at(0).at("items") == 2);
}

TEST_CASE("eval takes the first stories and tasks, and says how many are too long") {
  std::string text = "Once upon a time";
  while (text.size() < 5000) text += " there was a girl";
  const SetFile set(kSet + R"({"kind": "story", "text": ")" + text + "\"}\n");
  CHECK_THAT(run_kvarium("eval --limit 1 --set " + set.path).out, contains(": 3 texts of "));
  const Outcome outcome = run_kvarium("eval --set " + set.path);
  CHECK_THAT(outcome.out, contains("\n1 more texts are longer than the context of 512 tokens: left out\n"));
  CHECK_THAT(outcome.out, contains(" in 2 stories\n"));
  const SetFile only(R"({"kind": "story", "text": ")" + text + "\"}\n");
  check_refused("eval --set " + only.path,
                "all 1 texts are longer than the context of 512 tokens: give shorter ones with --set");
}

TEST_CASE("a model accepts all of its own guesses, and few of a worse model's") {
  const SetFile set(kSet);
  const auto share = [&](const std::string& draft) {
    const Outcome outcome = run_kvarium("eval --json --set " + set.path + " --draft " + draft);
    REQUIRE(outcome.exit_code == 0);
    const nlohmann::json acceptance = nlohmann::json::parse(outcome.out).at("acceptance");
    return acceptance.at("accepted").get<double>() / acceptance.at("guessed").get<double>();
  };
  CHECK(share("tales-target") == 1);
  CHECK(share("tales-one") < 1);
}

TEST_CASE("eval refuses a set that is none, naming the file and the line") {
  const ScratchFolder folder;
  check_refused("eval --set /no/such/set", "held-out set /no/such/set: No such file or directory: give a file");
  check_refused("eval --set '" + folder.path().string() + "'", "cannot be read");
  const auto refused = [](const std::string& text, const std::string& part) {
    const SetFile set(text);
    check_refused("eval --set " + set.path, "set.jsonl: " + part);
  };
  refused("", "no text in it");
  refused(kStory + "{\"kind\": \"story\"}\n", "line 2: \"text\" is missing");
  refused(kStory + "7\n", "line 2: no JSON object");
}

TEST_CASE("eval refuses flags that mean nothing") {
  const SetFile set(kSet);
  check_refused("eval --set " + set.path + " --cache other", "--cache");
  check_refused("eval --set " + set.path + " --limit 0", "--limit");
  check_refused("eval --set " + set.path + " --draft /no/such/model", "/no/such/model");
  check_refused("eval --set " + set.path + " --model /no/such/model", "/no/such/model");
}
