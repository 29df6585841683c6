// S03, S04 and S05: sharing, the floor of a prefix hit, the radix tree.

#include "core/error.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

constexpr RequestId kA{0}, kB{1}, kC{2};

std::size_t used(const World& world) { return world.blocks.size() - world.free_blocks.size(); }

std::vector<std::vector<TokenId>> answers(const Run& run) {
  std::vector<std::vector<TokenId>> all;
  for (const auto& request : run.end().requests) all.push_back(request->tokens);
  return all;
}

/// What the second request of S04 found.
std::uint32_t found(const std::vector<std::string>& set) {
  const Run run("S04", set);
  CHECK(run.end().requests.size() == 2);
  CHECK(violations(run.end()).empty());
  return run.end().request(kB).hit_tokens;
}

/// The hit of each request of S05.
std::vector<std::uint32_t> hits(const Run& run) {
  std::vector<std::uint32_t> tokens;
  for (const auto& request : run.end().requests) tokens.push_back(request->hit_tokens);
  return tokens;
}

}  // namespace

TEST_CASE("S03: three answers share the prompt's blocks; the partial one is copied twice, 4 tokens each") {
  const Run run("S03");
  const World prefilled = run.after_step(1);
  for (const RequestId id : {kA, kB, kC}) CHECK(show_table(prefilled, id) == "[7,3,12] 20 tokens");
  CHECK(show_pool(prefilled) == "free 5 9 14 1 10 0 15 6 2 13 8 4 11 | used 3x3 7x3 12x3");

  const World first = run.after_step(2);
  CHECK(show_table(first, kA) == "[7,3,5] 21 tokens");
  CHECK(show_table(first, kB) == "[7,3,9] 21 tokens");
  CHECK(show_table(first, kC) == "[7,3,12] 21 tokens");  // nobody else is left in block 12: C writes in place
  CHECK(first.copies == CopyCounts{2, 8});
  CHECK(used(first) == 5);  // three separate requests would hold 9

  const World fifth = run.after_step(6);  // position 24 begins a block
  CHECK(show_table(fifth, kA) == "[7,3,5,14] 25 tokens");
  CHECK(show_table(fifth, kB) == "[7,3,9,1] 25 tokens");
  CHECK(show_table(fifth, kC) == "[7,3,12,10] 25 tokens");
  CHECK(used(fifth) == 8);  // instead of 12
  CHECK(run.trace.num_steps() == 7);
  run.after_steps();
}

TEST_CASE("S03, append-only: full blocks are found, each request computes its own last one, and nothing is copied") {
  const Run run("S03", std::vector<std::string>{"sharing=append-only"});
  const World world = run.after_step(2);
  CHECK(show_table(world, kA) == "[7,3,12] 21 tokens");
  CHECK(show_table(world, kB) == "[7,3,5] 20 tokens");
  CHECK(show_table(world, kC) == "[7,3,9] 20 tokens");
  CHECK(used(world) == 5);
  CHECK(world.request(kB).hit_tokens == 16);
  CHECK(run.end().copies == CopyCounts{0, 0});
  run.after_steps();
}

TEST_CASE("S03: both ways of sharing give the same three answers") {
  const auto forked = answers(Run("S03"));
  CHECK(forked.size() == 3);
  CHECK(forked[0] != forked[1]);
  CHECK(forked == answers(Run("S03", std::vector<std::string>{"sharing=append-only"})));
}

TEST_CASE("S04 a: of 40 shared tokens 32 are found, because 40 is no whole number of blocks") {
  CHECK(found({}) == 32);
  CHECK(found({"prefix_cache=radix"}) == 32);
  CHECK(found({"block_size=8"}) == 40);
  CHECK(found({"prefix_cache=off"}) == 0);
}

TEST_CASE("S04 b: 240 shared tokens are found in blocks of 16, and none in blocks of 256 or 784") {
  CHECK(found({"part=b"}) == 240);
  CHECK(found({"part=b", "block_size=256"}) == 0);
  CHECK(found({"part=b", "block_size=784"}) == 0);
}

TEST_CASE("S04 c: a whole prompt again leaves a block to compute, with pages of one token a token") {
  CHECK(found({"part=c"}) == 16);
  CHECK(found({"part=c", "block_size=1", "prefix_cache=radix"}) == 31);
  CHECK(found({"part=c", "block_size=1"}) == 31);
}

TEST_CASE("S04 d: the same block after another beginning is another block") {
  CHECK(found({"part=d"}) == 0);
  CHECK(found({"part=d", "prefix_cache=radix"}) == 0);
}

TEST_CASE("S04 refuses a pool that its longest prompt does not fit, and a part that there is not") {
  CHECK_THROWS_WITH(found({"part=b", "block_size=1"}), contains("the longest request has 274 tokens"));
  CHECK_THROWS_WITH(found({"part=e"}), contains("it must be one of: a, b, c, d"));
}

TEST_CASE("S05: the tree splits where prompts part, and the leaf that rested longest makes room") {
  const Run run("S05");
  CHECK(hits(run) == std::vector<std::uint32_t>{0, 5, 3, 8, 0});
  REQUIRE(run.trace.num_steps() == 5);
  const World full = run.after_step(4);
  CHECK(radix_sizes(full).evictable == 14);
  CHECK(full.free_blocks.size() == 2);
  CHECK(radix_sizes(run.end()).evictable == 15);

  std::vector<BlockId> evicted, taken;
  for (std::size_t i = run.trace.start_of_step(5); i < run.trace.size(); ++i) {
    if (const auto* removed = std::get_if<RadixNodeRemoved>(&run.trace[i])) {
      const auto blocks = full.radix[index(removed->node)]->blocks;
      evicted.insert(evicted.end(), blocks.begin(), blocks.end());
    }
    if (const auto* allocated = std::get_if<BlockAllocated>(&run.trace[i])) taken.push_back(allocated->block);
  }
  // [9,10,11] of the second prompt goes, not [12,13] of the third, which came later.
  CHECK(evicted == std::vector<BlockId>{BlockId{8}, BlockId{9}, BlockId{10}});
  CHECK(taken == std::vector<BlockId>{BlockId{14}, BlockId{15}, BlockId{8}, BlockId{9}});
  run.after_steps();
}

TEST_CASE("S05: each word is one token, so the lengths are those of the picture") {
  const Run run("S05");
  std::vector<std::uint32_t> lengths;
  for (const auto& request : run.end().requests) lengths.push_back(request->prompt_tokens);
  CHECK(lengths == std::vector<std::uint32_t>{8, 8, 5, 9, 4});
}
