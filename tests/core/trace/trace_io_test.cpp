#include "core/trace/trace_io.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/error.h"
#include "core/trace/event_json.h"
#include "tests/core/trace/worlds.h"
#include "tests/support/catch.h"
#include "tests/support/serving_run.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};

/// A name in the folder for temporary files, gone at the end of the test.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& name)
      : path_((std::filesystem::temp_directory_path() /
               ("kvarium_trace_io_test_" + std::to_string(random_number()) + name))
                  .string()) {}
  ~TemporaryPath() { std::filesystem::remove_all(path_); }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::string& str() const { return path_; }

 private:
  static unsigned random_number() { return std::random_device{}(); }
  std::string path_;
};

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ReadTrace read(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "t.jsonl");
}

/// The text is refused with exactly this sentence.
void check_refused(const std::string& text, const std::string& sentence) {
  INFO(text.substr(0, 300));
  CHECK_THROWS_WITH(read(text), sentence);
  CHECK_THROWS_AS(read(text), InputError);
}

const std::string kFirstLine = "{\"kvarium_trace\":3}\n";

std::string text_of(const std::vector<Event>& events) {
  std::string text = kFirstLine;
  for (const Event& event : events) text += to_json_line(event) + "\n";
  return text;
}

/// One of each kind, each field different from its default.
std::vector<Event> one_of_each() {
  const RequestId r{4000000000U};
  return {ModelDescribed{{"tiny \"q\"", 1, 2, 3, 4, 5, 6, 7, KvKind::latent, 8, 9}},
          PoolCreated{4, blocks({3, 0, 2, 1})},
          ArenaCreated{UINT64_MAX},
          SchedulerDescribed{"continuous batching", true},
          TokenNamed{TokenId{-5}, "\xE4\xB8\xAD\n\x01"},
          RequestArrived{r, tokens(3), 7, "salt=1:a,", -2},
          RequestForked{r, RequestId{1}},
          RequestAdmitted{r},
          RequestPreempted{r, 3},
          KvSwappedOut{r, 3, UINT64_MAX},
          KvSwappedIn{r, 3, 8},
          RequestFinished{r, FinishReason::stop_string},
          RequestAborted{r},
          BlockAllocated{r, BlockId{UINT32_MAX}},
          BlockShared{r, BlockId{1}, 2},
          BlockReused{r, BlockId{1}},
          BlockCopied{r, 1, BlockId{1}, BlockId{2}, 3},
          BlockReplaced{r, 1, BlockId{1}, BlockId{2}},
          BlockReleased{r, BlockId{1}, 1, QueuePlace::behind_last_head},
          RegionReserved{r, 1, 2},
          RegionReleased{r},
          BlockCached{r, BlockId{1}, 2, {UINT64_MAX, 3}},
          BlockEvicted{r, BlockId{1}, {2, UINT64_MAX}},
          BlockExpired{BlockId{1}, {2, 3}},
          PrefixMatched{r, 9, 8},
          PrefixCacheReset{},
          RadixTreeCreated{},
          RadixNodeInserted{NodeId{1}, NodeId{0}, tokens(2), blocks({1, 0}), "salt=1:a,"},
          RadixNodeSplit{NodeId{2}, NodeId{1}, 1},
          RadixNodeRemoved{NodeId{1}},
          RadixPathUsed{NodeId{2}},
          RadixPathLocked{NodeId{2}},
          RadixPathUnlocked{NodeId{2}},
          SpeculationDescribed{"a small model", 5},
          DraftProposed{r, 9, tokens(2), {0.1, 1}, {1, 2, 3, 4}, {0, 0, 1}},
          DraftKvComputed{r, 1, 2},
          DraftKvRolledBack{r, 1},
          DraftVerified{r, 9, TokenId{1}, 0.3, 0x1.fffffffffffffp-1, true},
          TokenRecovered{r, 9, TokenId{1}, 1e-300},
          BonusSampled{r, 9, TokenId{1}, 0.7},
          DraftPathMoved{r, {1, 3}},
          StepStarted{UINT64_MAX},
          KvComputed{r, 1, 2, Phase::decode, false},
          KvRead{r, 9},
          TokenSampled{r, 3, TokenId{INT32_MIN}},
          RolledBack{r, 2},
          WorkCounted{r, {1, 2, 3, UINT64_MAX}},
          StepTimed{5, true},
          TimePassed{UINT64_MAX, false},
          LessonStarted{"A title"},
          Said{"Words.", {"block:3", "request:A"}},
          Asked{"How many?", {"1", "2"}, "2"}};
}

}  // namespace

TEST_CASE("an event is one readable line") {
  CHECK(to_json_line(BlockAllocated{kA, BlockId{7}}) == R"({"event":"BlockAllocated","request":0,"block":7})");
  CHECK(to_json_line(KvComputed{kA, 0, 6, Phase::prefill, true}) ==
        R"({"event":"KvComputed","request":0,"first":0,"count":6,"phase":"prefill","kept":true})");
  CHECK(
      to_json_line(WorkCounted{kA, {1, 2, 3, 4}}) ==
      R"({"event":"WorkCounted","request":0,"work":{"kv_projections":1,"score_products":2,"bytes_read":3,"flops":4}})");
  CHECK(to_json_line(Said{"a\"b", {}}) == R"({"event":"Said","text":"a\"b","points":[]})");
}

TEST_CASE("every kind of event comes back as it was") {
  const std::vector<Event> events = one_of_each();
  REQUIRE(events.size() == std::variant_size_v<Event>);
  for (std::size_t kind = 0; kind < events.size(); ++kind) {
    REQUIRE(events[kind].index() == kind);
    CHECK(event_of_json_line(to_json_line(events[kind])) == events[kind]);
  }
}

TEST_CASE("bytes of a text that are not UTF-8 are replaced when they are written") {
  const Event back = event_of_json_line(to_json_line(Said{"a\xFFz", {}}));
  CHECK(std::get<Said>(back).text == "a\xEF\xBF\xBDz");
}

TEST_CASE("a trace that is written and read again is the same trace") {
  const TemporaryPath path("whole.jsonl");
  Trace trace;
  ServingRun run({}, 5, trace);
  for (int i = 0; i < 50; ++i) run.step();
  write_trace(path.str(), trace);
  CHECK_FALSE(std::filesystem::exists(path.str() + ".part"));

  const ReadTrace back = read_trace(path.str());
  CHECK(back.warning.empty());
  REQUIRE(back.trace->size() == trace.size());
  for (std::size_t n = 0; n < trace.size(); ++n) REQUIRE((*back.trace)[n] == trace[n]);
  CHECK(back.trace->newest() == trace.newest());
}

TEST_CASE("a recording is in the file after every event") {
  const TemporaryPath path("recording.jsonl");
  TraceWriter writer(path.str());
  CHECK(bytes_of_file(path.str()) == kFirstLine);
  writer.emit(StepStarted{1});
  CHECK(bytes_of_file(path.str()) == kFirstLine + "{\"event\":\"StepStarted\",\"step\":1}\n");
  CHECK(read_trace(path.str()).trace->size() == 1);
}

TEST_CASE("wherever a recording is cut off, what came before is read, with a warning") {
  const std::vector<Event> events = prefill_events();
  const std::string text = text_of({events.begin(), events.end()});
  for (std::size_t cut = kFirstLine.size(); cut < text.size(); ++cut) {
    INFO("cut at byte " << cut << ": " << text.substr(0, cut));
    const std::string kept = text.substr(0, cut);
    const auto complete_lines = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    const ReadTrace result = read(kept);
    if (kept.back() == '\n') {
      CHECK(result.warning.empty());
      CHECK(result.trace->size() == complete_lines - 1);
    } else if (kept.back() == '}') {  // only the line end is missing
      CHECK(result.warning.empty());
      CHECK(result.trace->size() == complete_lines);
    } else {
      CHECK(result.warning == "t.jsonl, line " + std::to_string(complete_lines + 1) +
                                  ": the recording was cut off within this line, which is left out; " +
                                  std::to_string(complete_lines - 1) + " events are read");
      CHECK(result.trace->size() == complete_lines - 1);
    }
  }
}

TEST_CASE("a cut within a character of a text is salvaged too") {
  const std::string line = to_json_line(Said{"\xE4\xB8\xAD", {}});
  const std::string text = kFirstLine + line.substr(0, line.find('\xE4') + 2);
  CHECK(read(text).trace->empty());
  CHECK_FALSE(read(text).warning.empty());
}

TEST_CASE("what is not a trace of this version is refused") {
  check_refused("", "t.jsonl: the file is empty; a trace starts with the line {\"kvarium_trace\":3}");
  check_refused("hello\n", "t.jsonl is not a trace of Kvarium: this is not JSON, at byte 1");
  check_refused("{\"kvarium_tr", "t.jsonl is not a trace of Kvarium: this is not JSON, at byte 13");
  check_refused("{\"event\":\"StepStarted\",\"step\":1}\n",
                "t.jsonl is not a trace of Kvarium: a trace starts with the line {\"kvarium_trace\":3}");
  check_refused("{\"kvarium_trace\":1}\n", "t.jsonl is a trace of version 1; this program reads version 3");
  check_refused("{\"kvarium_trace\":99999999999}\n",
                "t.jsonl is a trace of version 4294967295; this program reads version 3");
  CHECK(read("{\"kvarium_trace\":3,\"made_by\":\"a test\"}\n").trace->empty());
}

TEST_CASE("a line that is not exactly one event is refused with its number, its field and what was expected") {
  const auto second_line = [](const std::string& line, const std::string& what) {
    check_refused(kFirstLine + line + "\n", "t.jsonl, line 2: " + what);
  };
  second_line("", "the line is empty; each line is one event");
  second_line("{\"event\":\"StepStarted\",\"step\":", "this is not JSON, at byte 31");  // cut, but the line has its end
  second_line("7", "each line is one event, {\"event\":...}; found 7");
  second_line("{\"step\":1}", "the line does not name its event: {\"event\":\"StepStarted\",...}");
  second_line("{\"event\":3}", "the line does not name its event: {\"event\":\"StepStarted\",...}");
  second_line("{\"event\":\"StepEnded\",\"step\":1}", "there is no event \"StepEnded\"");
  second_line("{\"event\":\"StepStarted\"}", "StepStarted lacks the field \"step\"");
  second_line("{\"event\":\"StepStarted\",\"step\":1,\"steps\":2}", "StepStarted has no field \"steps\"");
  second_line("{\"event\":\"StepStarted\",\"step\":1,\"step\":2}", "\"step\" is given twice");
  second_line("{\"event\":\"StepStarted\",\"step\":-1}",
              "\"step\" of StepStarted must be a whole number from 0 to 18446744073709551615; found -1");
  second_line("{\"event\":\"StepStarted\",\"step\":18446744073709551616}",
              "\"step\" of StepStarted must be a whole number from 0 to 18446744073709551615; found "
              "1.8446744073709552e+19");
  second_line("{\"event\":\"StepStarted\",\"step\":1.5}",
              "\"step\" of StepStarted must be a whole number from 0 to 18446744073709551615; found 1.5");
  second_line("{\"event\":\"StepStarted\",\"step\":1e999}", "a number that is too large for JSON");
  second_line("{\"event\":\"StepStarted\",\"step\":\"1\"}",
              "\"step\" of StepStarted must be a whole number from 0 to 18446744073709551615; found \"1\"");
  second_line("{\"event\":\"BlockAllocated\",\"request\":0,\"block\":4294967296}",
              "\"block\" of BlockAllocated must be a whole number from 0 to 4294967295; found 4294967296");
  second_line("{\"event\":\"TokenSampled\",\"request\":0,\"position\":0,\"token\":2147483648}",
              "\"token\" of TokenSampled must be a whole number from -2147483648 to 2147483647; found 2147483648");
  second_line("{\"event\":\"PoolCreated\",\"block_size\":4,\"hand_out_order\":[0,-1]}",
              "each item of \"hand_out_order\" of PoolCreated must be a whole number from 0 to 4294967295; found -1");
  second_line("{\"event\":\"PoolCreated\",\"block_size\":4,\"hand_out_order\":3}",
              "\"hand_out_order\" of PoolCreated must be a list; found 3");
  second_line("{\"event\":\"RequestFinished\",\"request\":0,\"reason\":\"tired\"}",
              "\"reason\" of RequestFinished must be one of \"end_of_sequence\", \"max_tokens\", \"stop_string\", "
              "\"context_full\"; found \"tired\"");
  second_line("{\"event\":\"StepTimed\",\"nanoseconds\":1,\"simulated\":1}",
              "\"simulated\" of StepTimed must be true or false; found 1");
  second_line("{\"event\":\"WorkCounted\",\"request\":0,\"work\":{\"kv_projections\":1}}",
              "\"work\" of WorkCounted lacks the field \"score_products\"");
  second_line(
      "{\"event\":\"WorkCounted\",\"request\":0,\"work\":{\"kv_projections\":1,\"score_products\":1,"
      "\"bytes_read\":1,\"flops\":1,\"event\":1}}",
      "\"work\" of WorkCounted has no field \"event\"");
  second_line("{\"event\":\"Said\",\"text\":\"a\xFF\",\"points\":[]}", "a text that is not valid UTF-8 at byte 26");
  second_line("{\"event\":\"Said\",\"text\":\"\\ud800\",\"points\":[]}", "this is not JSON, at byte 31");
  second_line("{\"event\":\"Said\",\"text\":\"\",\"points\":[[[[1]]]]}", "JSON that is nested too deep for an event");
  second_line("{\"event\":\"Said\",\"text\":7,\"points\":[]}", "\"text\" of Said must be a text; found 7");
}

TEST_CASE("an event that cannot follow is refused with its line") {
  check_refused(text_of({StepStarted{1}, StepStarted{3}}),
                "t.jsonl, line 3: this event cannot follow: steps must come one after another, from 1");
  check_refused(text_of({PoolCreated{4, blocks({0, 0})}}), "t.jsonl, line 2: block 0 is free already");
  check_refused(text_of({PoolCreated{4, blocks({7})}}), "t.jsonl, line 2: there is no block 7: the pool has 1");
}

TEST_CASE("lists and lines have limits") {
  std::string points = "{\"event\":\"Said\",\"text\":\"\",\"points\":[\"\"";
  for (std::size_t i = 0; i < kMostListTexts; ++i) points += ",\"\"";
  check_refused(kFirstLine + points + "]}\n",
                "t.jsonl, line 2: \"points\" of Said has 1001 items; at most 1000 are read");

  std::string order = "{\"event\":\"PoolCreated\",\"block_size\":4,\"hand_out_order\":[0";
  for (std::size_t i = 0; i < kMostListItems; ++i) order += ",0";
  check_refused(kFirstLine + order + "]}\n",
                "t.jsonl, line 2: \"hand_out_order\" of PoolCreated has 1048577 items; at most 1048576 are read");

  check_refused(kFirstLine + std::string(kMostLineBytes + 1, ' '), "t.jsonl, line 2: the line is longer than 16 MiB");
}

TEST_CASE("a file that cannot be opened is one clear line") {
  const TemporaryPath missing("missing.jsonl");
  CHECK_THROWS_WITH(read_trace(missing.str()), missing.str() + ": cannot open the trace: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK_THROWS_WITH(read_trace(folder), folder + " is a folder, not a trace");
}

TEST_CASE("a place that cannot be written is one clear line, and leaves nothing behind") {
  const TemporaryPath folder("folder");
  const std::string path = folder.str() + "/t.jsonl";
  CHECK_THROWS_WITH(TraceWriter(path), path + ": cannot write the trace: No such file or directory");
  CHECK_THROWS_WITH(write_trace(path, Trace{}), path + ": cannot write the trace: No such file or directory");

  std::filesystem::create_directories(path + "/inside");  // a folder where the file should go
  CHECK_THROWS_AS(write_trace(path, Trace{}), InputError);
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_CASE("a full disk is an error at the line that no longer fits") {
  if (!std::filesystem::is_character_file("/dev/full")) {
    WARN("skipped: there is no /dev/full here");
    return;
  }
  CHECK_THROWS_WITH(TraceWriter("/dev/full"), "/dev/full: cannot write the trace: No space left on device");
}

TEST_CASE("a pipe or a device is not replaced by a trace") {
  const TemporaryPath pipe("pipe");
  REQUIRE(mkfifo(pipe.str().c_str(), 0600) == 0);
  CHECK_THROWS_WITH(write_trace(pipe.str(), Trace{}), contains("is no regular file"));
  CHECK(std::filesystem::is_fifo(pipe.str()));
}

TEST_CASE("an older file stays when a new one cannot be written") {
  const TemporaryPath path("kept.jsonl");
  write_trace(path.str(), Trace{});
  std::filesystem::create_directory(path.str() + ".part");
  Trace trace;
  trace.emit(StepStarted{1});
  CHECK_THROWS_AS(write_trace(path.str(), trace), InputError);
  CHECK(bytes_of_file(path.str()) == kFirstLine);
  std::filesystem::remove_all(path.str() + ".part");
}
