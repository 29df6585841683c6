#include "core/replay/azure_reader.h"

#include <sstream>
#include <string>

#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::contains;

const std::string kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";

RequestTrace read(const std::string& text) {
  std::istringstream in(text);
  return read_azure(in, "trace.csv", {}, CancelToken()).value();
}

TEST_CASE("rows in CR LF, seven digits of a second, and no end of the last line are read") {
  const RequestTrace trace =
      read(kHeader + "2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8");
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].arrival_ms == 0);
  CHECK(trace.requests[0].input_tokens == 4808);
  CHECK(trace.requests[0].output_tokens == 10);
  CHECK(trace.requests[1].arrival_ms == Approx(52).epsilon(1e-12));
  CHECK(trace.requests[1].input_tokens == 3180);
  CHECK(trace.block_size == 0);
}

TEST_CASE("a tick of 100 ns, a midnight, a leap day and a year pass as on a clock") {
  const RequestTrace trace = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 23:59:59.9999999,1,1\n2024-02-29 00:00:00.0000000,1,1\n"
      "2024-03-01 00:00:00,1,1\n2025-03-01 00:00:00.5,1,1\n");
  CHECK(trace.requests[1].arrival_ms == Approx(0.0001).epsilon(1e-9));
  CHECK(trace.requests[2].arrival_ms == Approx(86'400'000.0001).epsilon(1e-15));
  CHECK(trace.requests[3].arrival_ms == Approx(366 * 86'400'000.0 + 500.0001).epsilon(1e-15));
}

TEST_CASE("each wrong row is named with its number and what is wrong with it") {
  const std::string good = kHeader + "2023-11-16 18:17:03.9799600,4808,10\r\n";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"2023-11-16 18:17:03.9799600,4808,10\r\n", "line 1: the header"},
           {"", "no request"},
           {kHeader, "no request"},
           {good + "2023-11-16 18:17:04.0319600,3180\r\n", "line 3: three columns"},
           {good + "2023-11-16 18:17:04.0319600,3180,8,1\r\n", "line 3: GeneratedTokens is \"8,1\""},
           {good + "2023-11-16 18:17:04.0319600,-3180,8\r\n", "line 3: ContextTokens is \"-3180\""},
           {good + "2023-11-16 18:17:04.0319600,3180,\r\n", "line 3: GeneratedTokens is \"\""},
           {good + "2023-11-16 18:17:04.0319600,99999999999,8\r\n", "line 3: ContextTokens is \"99999999999\""},
           {good + "2023-11-16 18:17:03.9799599,1,1\r\n", "line 3: the time goes back"},
           {good + "2340-11-16 18:17:04,1,1\r\n", "line 3: more than 10000000000000 ms after the first row"},
           {good + "2023-11-16T18:17:04,1,1\r\n", "line 3: \"2023-11-16T18:17:04\" is no time"},
           {good + "2023-02-29 18:17:04,1,1\r\n", "is no time"},
           {good + "2023-11-16 24:17:04,1,1\r\n", "is no time"},
           {good + "2023-11-16 18:17:04.,1,1\r\n", "is no time"},
           {good + "2023-11-16 18:17:04.12345678,1,1\r\n", "is no time"},
           {good + "2023-11-16 18:17,1,1\r\n", "is no time"},
           {good + ",1,1\r\n", "is no time"},
       }) {
    INFO(text);
    CHECK_THROWS_AS(read(text), InputError);
    CHECK_THROWS_WITH(read(text), contains("trace.csv: ") && contains(part));
  }
}

TEST_CASE("a cancelled reading gives nothing") {
  CancelToken cancel;
  cancel.cancel();
  std::istringstream in(kHeader + "2023-11-16 18:17:03.9799600,4808,10\r\n");
  CHECK_FALSE(read_azure(in, "trace.csv", {}, cancel));
}

}  // namespace
}  // namespace kvarium
