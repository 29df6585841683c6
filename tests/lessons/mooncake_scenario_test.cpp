// X1: a trace through a cache, as the window shows it.

#include <filesystem>

#include "core/error.h"
#include "core/eviction/policies.h"
#include "core/replay/made_up_trace.h"
#include "core/replay/replay.h"
#include "core/trace/invariants.h"
#include "tests/core/replay/trace_files.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

std::uint64_t hits(const RequestTrace& trace, const std::string& policy, std::uint64_t capacity) {
  return replay(trace, *find_eviction_policy(policy).make(), capacity, {}, CancelToken()).value().hit_blocks;
}

const std::string kHandMade =
    "trace_path=" + std::string(KVARIUM_SOURCE_DIR) + "/tests/core/replay/hand_made_trace.jsonl";

}  // namespace

TEST_CASE("X1: without a file the traffic is invented, and the recording says so") {
  const Run run("X1");
  CHECK(run.end().prefix.hit_tokens == hits(made_up_trace(200, 7), "lru", 300));
  CHECK(run.end().evicted_blocks > 0);
  CHECK_THAT(run.end().model.name, contains("invented"));
  REQUIRE(run.end().said);
  CHECK_THAT(run.end().said->text, contains("no server ever saw it"));
}

TEST_CASE("X1: a file is read and replayed by any policy") {
  for (const NamedPolicy& policy : eviction_policies()) {
    const std::vector<std::string> set{kHandMade, "num_blocks=4", "eviction=" + std::string(policy.name)};
    const Run run("X1", set);
    CHECK(run.end().prefix.hit_tokens == hits(kvarium_test::hand_made_trace(), std::string(policy.name), 4));
    CHECK(violations(run.end()).empty());
  }
  const Run first("X1", std::vector<std::string>{kHandMade, "num_requests=2"});
  CHECK(first.end().requests.size() == 2);
  CHECK(first.end().prefix.hit_tokens == 2);
}

TEST_CASE("X1 refuses a file that is none, and a cache of nothing") {
  CHECK_THROWS_WITH(Run("X1", std::vector<std::string>{"trace_path=no-such-file"}), contains("cannot open the trace"));
  CHECK_THROWS_WITH(Run("X1", std::vector<std::string>{"num_blocks=0"}), contains("it must be 1 to 100000"));
}
