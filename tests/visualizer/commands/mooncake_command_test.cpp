// kvarium replay --mooncake and --azure. The numbers of the small trace are worked out in tests/core/replay.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/visualizer/commands/run_kvarium.h"

using namespace kvarium_test;

namespace {

const std::string kTrace = std::string("'") + KVARIUM_SOURCE_DIR + "/tests/core/replay/hand_made_trace.jsonl'";

/// A file of this test, removed at the end.
struct Written {
  Written(const std::string& name, const std::string& bytes) : path(scratch(name)) { write_file(path, bytes); }
  ~Written() { std::filesystem::remove(path); }
  std::string path;
};

nlohmann::json run_json(const std::string& arguments) {
  const Outcome outcome = run_kvarium("replay " + arguments + " --json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.empty());  // no progress where nobody watches
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("replay --mooncake says what a cache saves, and what of it is simulated") {
  const Outcome outcome = run_kvarium("replay --mooncake " + kTrace + " --policy lru --capacity 4");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.error.empty());
  CHECK_THAT(outcome.out, contains("24, 9 different ones"));
  CHECK_THAT(outcome.out, contains("10 (41.67 %)"));
  CHECK_THAT(outcome.out, contains("4,696 (45.00 %)"));
  const std::size_t simulated = outcome.out.find("simulated: ");
  REQUIRE(simulated != std::string::npos);
  CHECK(outcome.out.find("TTFT") > simulated);
}

TEST_CASE("replay --mooncake --json gives the same numbers by policy") {
  const nlohmann::json lru = run_json("--mooncake " + kTrace + " --policy lru --capacity 4");
  CHECK(lru["hit_blocks"] == 10);
  CHECK(lru["hit_tokens"] == 4696);
  CHECK(lru["referenced_blocks"] == 24);
  CHECK(lru["evictions"] == 10);
  CHECK(lru["capacity_blocks"] == 4);
  CHECK(run_json("--mooncake " + kTrace + " --policy lfu --capacity 4")["hit_blocks"] == 11);
  CHECK(run_json("--mooncake " + kTrace + " --policy length-aware --capacity 4")["hit_blocks"] == 12);
  CHECK(run_json("--mooncake " + kTrace + " --policy fifo --capacity 4")["hit_blocks"] == 8);
  CHECK(run_json("--mooncake " + kTrace + " --policy prefix-depth --capacity 4")["hit_blocks"] == 11);
  const nlohmann::json unlimited = run_json("--mooncake " + kTrace);
  CHECK(unlimited["hit_blocks"] == 15);
  CHECK(unlimited["capacity_blocks"].is_null());
  const auto& simulated = unlimited["simulated"];
  CHECK(simulated["with_cache"]["ttft_ms"]["p50"] < simulated["without_cache"]["ttft_ms"]["p50"]);
}

TEST_CASE("replay --mooncake --record writes a recording that can be told and looked at") {
  const std::string path = scratch("recorded.jsonl");
  const nlohmann::json json = run_json("--mooncake " + kTrace + " --capacity 4 --record '" + path + "'");
  CHECK(json["hit_blocks"] == 10);
  CHECK(json["evictions"] == 10);
  CHECK(json["recorded"] == path);
  const Outcome told = run_kvarium("replay '" + path + "' --text");
  CHECK(told.exit_code == 0);
  CHECK_THAT(told.out, contains("each token stands for 512 tokens of a trace"));
  const Outcome twin = run_kvarium("text --trace '" + path + "'");
  CHECK_THAT(twin.out, contains("hits: 10 of 24 tokens found (41.7 %)"));
  CHECK_THAT(twin.out, contains("10 blocks evicted"));
  std::filesystem::remove(path);
}

TEST_CASE("replay --mooncake --engine serves the trace in simulated time, with either prefix cache") {
  const std::string engine = "--mooncake " + kTrace + " --engine --capacity 24";
  const nlohmann::json hash = run_json(engine);
  CHECK(hash["requests"] == 9);
  CHECK(hash["hit_tokens"] > 0);
  CHECK(hash["simulated"]["ttft_ms"]["p50"] > 0);
  CHECK(run_json(engine + " --prefix-cache radix")["hit_tokens"] > 0);
  CHECK(run_json(engine + " --prefix-cache off --scheduler static")["hit_tokens"] == 0);
  CHECK(run_json(engine + " --requests 2")["requests"] == 2);
  CHECK_THAT(run_kvarium("replay --mooncake " + kTrace + " --engine --capacity 3").out,
             contains("refused: larger than the pool"));
  const std::string path = scratch("engine.jsonl");
  const Outcome told = run_kvarium("replay " + engine + " --record '" + path + "'");
  CHECK(told.exit_code == 0);
  CHECK(told.out.find("simulated: llama-3.1-8b") < told.out.find("TTFT"));
  CHECK_THAT(told.out, contains("9 served"));
  CHECK_THAT(run_kvarium("metrics '" + path + "'").out, contains("simulated"));
  std::filesystem::remove(path);
}

TEST_CASE("replay --azure gives load and times, and says that there is no cache to replay") {
  const Written file("azure.csv",
                     "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n"
                     "2023-11-16 18:17:04.0319600,3180,8");
  const Outcome outcome = run_kvarium("replay --azure '" + file.path + "'");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("7,988 in, 18 out"));
  CHECK_THAT(outcome.out, contains("no hashes"));
  CHECK_THAT(outcome.out, contains("simulated: "));
  const nlohmann::json json = run_json("--azure '" + file.path + "'");
  CHECK(json["requests"] == 2);
  CHECK_FALSE(json.contains("hit_blocks"));
}

TEST_CASE("replay of production traces says in one line what is wrong, and returns 2") {
  const Written torn("torn.jsonl",
                     "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 1, \"hash_ids\": [0, 1]}\n"
                     "{\"timestamp\": 1, \"input_length\": -5, \"output_length\": 1, \"hash_ids\": [0]}\n");
  const std::string good = "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 1, \"hash_ids\": [0, 1]}\n";
  const Written swapped("swapped.jsonl", good +
                                             "{\"timestamp\": 1, \"input_length\": 600, \"output_length\": 1, "
                                             "\"hash_ids\": [1, 0]}\n");
  const Written longer("longer.jsonl", good +
                                           "{\"timestamp\": 1, \"input_length\": 600, \"output_length\": 1, "
                                           "\"hash_ids\": [0, 1, 2]}\n");
  const Written empty("empty.jsonl", "");
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"--mooncake " + kTrace + " --policy random", "lru, lfu, length-aware, fifo, prefix-depth"},
           {"--mooncake " + kTrace + " --capacity 0", "\"0\" is no whole number from 1"},
           {"--mooncake " + kTrace + " --capacity -4", "-4"},
           {"--mooncake " + kTrace + " --capacity 18446744073709551616", "18446744073709551616"},
           {"--mooncake no-such-file", "no-such-file: cannot open the trace: No such file"},
           {"--mooncake /", "/ is a folder"},
           {"--mooncake '" + torn.path + "'", "line 2: input_length is -5"},
           {"--mooncake '" + swapped.path + "'", "line 2: hash id 1 at place 0 follows another id than before"},
           {"--mooncake '" + longer.path + "'", "line 2: 3 hash_ids: 600 tokens in blocks of 512 have 2"},
           {"--mooncake '" + empty.path + "'", "no request in it"},
           {"--mooncake /dev/zero", "line 1: longer than"},
           {"--azure " + kTrace, "line 1: the header"},
           {"--azure " + kTrace + " --policy lru", "--policy requires --mooncake"},
           {"--mooncake " + kTrace + " --requests 0", "\"0\" is no whole number from 1"},
           {"--mooncake " + kTrace + " --record /", "/"},
           {"--mooncake " + kTrace + " --record " + kTrace, "is the trace itself"},
           {"--mooncake " + kTrace + " --scheduler static", "--scheduler requires --engine"},
           {"--mooncake " + kTrace + " --engine --scheduler best", "there is no scheduler 'best': use one of"},
           {"--mooncake " + kTrace + " --engine --prefix-cache tree", "radix"},
           {"--mooncake " + kTrace + " --engine --prefix-cache radix --policy lfu", "--prefix-cache hash"},
           {"--mooncake " + kTrace + " --engine --capacity 99999999999", "32 bits"},
           {"--azure " + kTrace + " --engine", "--engine requires --mooncake"},
           {"--mooncake " + kTrace + " --step 2", "--mooncake"},
           {"story.jsonl --mooncake " + kTrace, "excludes"},
           {"--json", "replay what?"},
           {"story.jsonl --json", "--json goes with"},
       }) {
    check_refused("replay " + arguments, part);
  }
}

TEST_CASE("Ctrl-C while a trace comes in: no result, and the exit code that shells expect") {
  const std::string pipe = scratch("pipe");
  const std::string line = "'{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1, \"hash_ids\": [0]}'";
  // Opening the pipe waits for the reader, which by then heeds the signal.
  const Outcome outcome =
      run_kvarium("--help >/dev/null; trap '' PIPE; mkfifo '" + pipe + "'; '" KVARIUM_PROGRAM "' replay --mooncake '" +
                  pipe + "' & exec 3>'" + pipe + "'; echo " + line + " >&3; kill -INT $!; sleep 0.1; echo " + line +
                  " >&3 2>/dev/null; exec 3>&-; wait $!");
  std::filesystem::remove(pipe);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out.empty());
  CHECK(outcome.error == "kvarium: stopped; there is no result\n");
}
