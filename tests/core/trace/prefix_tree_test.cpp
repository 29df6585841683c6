// Both prefix caches as one tree, and that tree as text.

#include "core/trace/prefix_tree.h"
#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

void serve(Bench& bench, const char* prompt) {
  bench.engine.submit(ask(prompt, 1));
  bench.run();
}

}  // namespace

TEST_CASE("a run without a prefix cache has no tree of prefixes") {
  Bench bench(8);
  serve(bench, "abcdefgh");
  CHECK(prefix_tree(bench.world_check.world()).kind == PrefixTreeKind::none);
  CHECK(show_prefix_tree(bench.world_check.world(), 10) == "");
}

TEST_CASE("the radix tree and the chains of hashed blocks read the same") {
  const PrefixCaching kind = GENERATE(values({PrefixCaching::radix, PrefixCaching::hash}));
  Bench bench(16, [kind](EngineConfig& config) { config.prefix_cache.kind = kind; });
  serve(bench, "abcdefghijkl");
  serve(bench, "abcdefghxyzw");
  const PrefixTree tree = prefix_tree(bench.world_check.world());
  REQUIRE(tree.nodes.size() == 4);
  CHECK(tree.nodes[1].num_tokens == 8);
  CHECK(tree.nodes[1].blocks.size() == 2);
  CHECK(tree.nodes[1].parent == 0);
  CHECK(tree.nodes[2].preview == tokens_of("ijkl"));
  CHECK(tree.nodes[2].parent == 1);
  CHECK(tree.nodes[3].preview == tokens_of("xyzw"));
  CHECK(tree.nodes[3].parent == 1);
}

TEST_CASE("a hashed block whose beginning is evicted hangs below the root and is not found") {
  World world;
  fold(world, PoolCreated{1, {BlockId{0}, BlockId{1}}});
  fold(world, RequestArrived{RequestId{0}, {TokenId{5}, TokenId{6}}, 1});
  fold(world, StepStarted{1});
  fold(world, RequestAdmitted{RequestId{0}});
  for (const std::uint32_t block : {0U, 1U}) fold(world, BlockAllocated{RequestId{0}, BlockId{block}});
  fold(world, KvComputed{RequestId{0}, 0, 2, Phase::prefill, true});
  fold(world, BlockCached{RequestId{0}, BlockId{1}, 1, BlockHash{1, 2}});
  const PrefixTree tree = prefix_tree(world);
  REQUIRE(tree.nodes.size() == 2);
  CHECK_FALSE(tree.nodes[1].found);
  CHECK(show_prefix_tree(world, 10) ==
        "\"#6\": 1 tokens, blocks 1, not found: what comes before it is gone, written in step 1\n");
}

TEST_CASE("of hashed blocks, two prompts with another image each share what is before it") {
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::hash; });
  for (const char* image : {"cat", "dog"}) {
    RequestSpec spec = ask("abcdefghijkl", 1);
    spec.keys.media = {{image, 4, 2}};
    bench.engine.submit(spec);
    bench.run();
  }
  const PrefixTree tree = prefix_tree(bench.world_check.world());
  REQUIRE(tree.nodes.size() == 4);
  CHECK(tree.nodes[1].num_tokens == 4);
  CHECK(tree.nodes[1].scope.empty());
  for (const std::size_t branch : {2, 3}) {
    CHECK(tree.nodes[branch].parent == 1);
    CHECK(tree.nodes[branch].num_tokens == 8);
    CHECK(tree.nodes[branch].found);
  }
}

TEST_CASE("many branches are folded into one, and long trees into a last line") {
  Bench bench(64, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  for (char c = 'a'; c <= 'j'; ++c) serve(bench, std::string(4, c).c_str());
  const World& world = bench.world_check.world();
  CHECK(prefix_tree(world).nodes.size() == 11);
  const PrefixTree folded = prefix_tree(world, 4);
  REQUIRE(folded.nodes.size() == 5);
  CHECK(folded.nodes[4].folded == 7);
  CHECK_THAT(show_prefix_tree(world, 3), contains("... 7 more nodes"));
}

TEST_CASE("the tree is indented in the text twin") {
  Bench bench(16, [](EngineConfig& config) { config.prefix_cache.kind = PrefixCaching::radix; });
  serve(bench, "abcdefghijkl");
  serve(bench, "abcdefghxyzw");
  CHECK_THAT(text_twin(bench.world_check.world()), contains("\n  node 2 \"abcdefgh\": 8 tokens, blocks 0 1, used in"));
  CHECK_THAT(text_twin(bench.world_check.world()), contains("\n    node 1 \"ijkl\": 4 tokens"));
}
