#include "core/replay/mooncake_reader.h"

#include <sstream>
#include <string>

#include "core/error.h"
#include "tests/core/replay/trace_files.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::contains;
using kvarium_test::read_text;

/// One line of a trace, its four members as JSON.
std::string line(const std::string& timestamp, const std::string& input, const std::string& output,
                 const std::string& ids) {
  return R"({"timestamp": )" + timestamp + R"(, "input_length": )" + input + R"(, "output_length": )" + output +
         R"(, "hash_ids": )" + ids + "}\n";
}

TEST_CASE("a line is a request: its time, its lengths, its blocks") {
  const RequestTrace trace = read_text(line("0", "1030", "5", "[46, 47, 48]") + line("27", "512", "0", "[46]"));
  CHECK(trace.block_size == 512);
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].input_tokens == 1030);
  CHECK(trace.requests[0].output_tokens == 5);
  CHECK(trace.requests[0].blocks == std::vector{BlockId{0}, BlockId{1}, BlockId{2}});  // numbered by appearance
  CHECK(trace.requests[1].arrival_ms == 27);
  CHECK(trace.requests[1].blocks == std::vector{BlockId{0}});
  CHECK(trace.block_references == 4);
  CHECK(trace.distinct_blocks == 3);
}

TEST_CASE("two prompts that share their first 12 blocks share 6,144 tokens") {
  std::string shared = "46";
  for (int id = 47; id <= 57; ++id) shared += ", " + std::to_string(id);
  const RequestTrace trace = read_text(line("0", "6700", "1", "[" + shared + ", 58, 59]") +
                                       line("0", "7000", "1", "[" + shared + ", 60, 61]"));
  std::size_t equal = 0;
  while (trace.requests[0].blocks[equal] == trace.requests[1].blocks[equal]) ++equal;
  CHECK(equal * trace.block_size == 6144);
}

TEST_CASE("CR LF, empty lines, other members and a last line without an end are read") {
  const RequestTrace trace = read_text(
      "{\"timestamp\":0,\"input_length\":1,\"output_length\":0,\"hash_ids\":[7],\"type\":\"text\"}\r\n\r\n\n"
      "{\"hash_ids\":[],\"output_length\":3,\"input_length\":0,\"timestamp\":0}");
  CHECK(trace.requests.size() == 2);
  CHECK(trace.requests[1].blocks.empty());
}

TEST_CASE("each wrong line is named with its number and what is wrong with it") {
  const std::string good = line("5", "600", "1", "[0, 1]");
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {good + "{\"timestamp\": 5, \"input_le\n", "line 2: no valid JSON"},
           {good + "\n[1, 2]\n", "line 3: no JSON object"},
           {good + "\"\xff\"\n", "line 2: no valid JSON"},
           {good + std::string(100'000, '[') + "\n", "line 2: no valid JSON"},
           {"{}\n", "line 1: timestamp is missing"},
           {"{\"timestamp\": 0, \"input_length\": 4, \"output_length\": 1}\n", "line 1: hash_ids is missing"},
           {good + line("6", "-600", "1", "[0, 1]"), "line 2: input_length is -600"},
           {good + line("6", "600", "-1", "[0, 1]"), "line 2: output_length is -1"},
           {good + line("-6", "600", "1", "[0, 1]"), "line 2: timestamp is -6"},
           {good + line("6", "600.5", "1", "[0, 1]"), "line 2: input_length is 600.5"},
           {good + line("6", "1e400", "1", "[0, 1]"), "line 2: a number in it is too large"},
           {good + line("6", "4294967296", "1", "[0, 1]"), "line 2: input_length is 4294967296"},
           {good + line("99999999999999999999", "600", "1", "[0, 1]"), "line 2: timestamp is"},
           {good + line("10000000000001", "600", "1", "[0, 1]"),
            "line 2: timestamp is 10000000000001: a whole number from 0 to 10000000000000"},
           {good + line("6", "\"600\"", "1", "[0, 1]"), "line 2: input_length is \"600\""},
           {good + line("6", "[600]", "1", "[0, 1]"), "line 2: input_length is [...]"},
           {good + line("6", "600", "null", "[0, 1]"), "line 2: output_length is null"},
           {good + line("4", "600", "1", "[0, 1]"), "line 2: timestamp 4 after 5"},
           {good + line("6", "600", "1", "[0]"), "line 2: 1 hash_ids: 600 tokens in blocks of 512 have 2"},
           {good + line("6", "512", "1", "[0, 1]"), "line 2: 2 hash_ids: 512 tokens in blocks of 512 have 1"},
           {good + line("6", "513", "1", "[0]"), "line 2: 1 hash_ids: 513 tokens in blocks of 512 have 2"},
           {good + line("6", "16777216", "1", "[0]"), "have 32768"},
           {good + line("6", "512", "16777217", "[0]"), "16777216"},
           {good + line("6", "600", "1", "{\"0\": 1}"), "line 2: hash_ids is no list"},
           {good + line("6", "600", "1", "[0, -1]"), "line 2: a hash id is -1"},
           {good + line("6", "600", "1", "[0, 18446744073709551616]"), "line 2: a hash id is"},
           {good + line("6", "600", "1", "[1, 0]"), "line 2: hash id 1 at place 0 follows another id"},
           {good + line("6", "600", "1", "[2, 1]"), "line 2: hash id 1 at place 1 follows another id"},
           {good + line("6", "600", "1", "[3, 3]"), "line 2: hash id 3 at place 1 follows another id"},
           {"", "no request"},
           {"\n\n", "no request"},
           {std::string(LineReader::kLongestLine + 1, ' ') + "\n", "line 1: longer than"},
           {std::string(1000, '\0'), "line 1: no valid JSON"},
       }) {
    INFO(text.substr(0, 200));
    CHECK_THROWS_AS(read_text(text), InputError);
    CHECK_THROWS_WITH(read_text(text), contains("trace.jsonl: ") && contains(part));
  }
}

TEST_CASE("a trace cut at any byte is read or refused, never half a request") {
  const std::string whole = line("5", "600", "1", "[0, 1]") + line("6", "1025", "1", "[0, 2, 3]");
  const std::size_t first = whole.find('\n');
  for (std::size_t length = 1; length < whole.size(); ++length) {
    INFO(length << " bytes");
    const bool between_lines = length == first || length == first + 1;
    const bool complete = length == whole.size() - 1;
    if (between_lines || complete) {
      CHECK(read_text(whole.substr(0, length)).requests.size() == (complete ? 2 : 1));
    } else {
      CHECK_THROWS_AS(read_text(whole.substr(0, length)), InputError);
    }
  }
}

TEST_CASE("reading tells how far it is, to the last byte, and stops when asked") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += line(std::to_string(i), "1", "1", "[0]");
  std::istringstream in(text);
  std::vector<std::uint64_t> told;
  const OnProgress note = [&](const Progress& now) {
    CHECK(now.total == text.size());
    told.push_back(now.done);
  };
  REQUIRE(read_mooncake(in, "t", note, CancelToken()));
  CHECK(told.size() > 2);
  CHECK(told.size() < 20);
  CHECK(told.back() == text.size());

  CancelToken cancel;
  std::istringstream again(text);
  CHECK_FALSE(read_mooncake(
      again, "t", [&](const Progress&) { cancel.cancel(); }, cancel));
  CHECK(static_cast<std::size_t>(again.tellg()) < text.size());
}

}  // namespace
}  // namespace kvarium
