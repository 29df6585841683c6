// A tree of drafts in one pass: each node computes what its path alone computes, for every kind of model.

#include "cpu_reference/model/tree_views.h"

#include "core/error.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"
#include "tests/cpu_reference/model/random_model.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::difference;
using kvarium_test::families;
using kvarium_test::random_model;
using kvarium_test::random_tokens;
using kvarium_test::reordering_tolerance;

namespace {

const std::vector<std::uint32_t> kParents{0, 0, 0, 1, 1, 4, 5};

std::vector<std::uint32_t> path_to(std::uint32_t node) {
  std::vector<std::uint32_t> path{node};
  for (; node > 0; node = kParents[node]) path.insert(path.begin(), kParents[node]);
  return path;
}

}  // namespace

TEST_CASE("each node of a tree has the logits of its own path, without a cache and after it was moved to the front") {
  const kvarium_test::Family family = families()[GENERATE(range(std::size_t{0}, families().size()))];
  CAPTURE(family.name);
  const auto model = std::make_shared<const Model>(random_model(family.config, 12));
  const std::uint32_t vocab = model->config.shape.vocab, block_size = 4;
  const std::vector<TokenId> past = random_tokens(9, vocab, 3), nodes = random_tokens(kParents.size(), vocab, 4);
  const std::vector<BlockId> table{BlockId{3}, BlockId{0}, BlockId{4}, BlockId{1}, BlockId{2}};
  CpuRunner runner(model, 1);
  runner.create_cache(5, block_size);
  const RequestId id{0};
  runner.forward(std::vector<ScheduledSequence>{{id, past, 0, table}});
  const auto rows = static_cast<std::uint32_t>(nodes.size());
  const ForwardResult tree =
      runner.forward(std::vector<ScheduledSequence>{{id, nodes, 9, table, rows, false, kParents}});

  const Transformer transformer(*model);
  Work work;
  for (std::uint32_t node = 0; node < rows; ++node) {
    std::vector<TokenId> text = past;
    for (const std::uint32_t above : path_to(node)) text.push_back(nodes[above]);
    const std::vector<float> alone = transformer.forward_uncached(text, work);
    const auto row = std::span(tree.logits).subspan(std::size_t{node} * vocab, vocab);
    CHECK(difference(row, alone) <= reordering_tolerance(model->config, alone));
  }

  // The path 1, 4, 5, 6 comes behind node 0: then the next token sees it as a chain.
  std::vector<SlotMove> moves;
  const auto slot = [&](std::uint32_t position) {
    return Slot{std::uint64_t{value(table[position / block_size])} * block_size + position % block_size};
  };
  for (const auto& [from, to] : {std::pair{4U, 2U}, {5U, 3U}, {6U, 4U}})
    moves.push_back({slot(9 + from), slot(9 + to)});
  runner.move(moves);
  std::vector<TokenId> text = past;
  for (const std::uint32_t node : path_to(6)) text.push_back(nodes[node]);
  const std::vector<TokenId> next = random_tokens(1, vocab, 8);
  const ForwardResult behind = runner.forward(std::vector<ScheduledSequence>{{id, next, 14, table}});
  text.push_back(next[0]);
  const std::vector<float> alone = transformer.forward_uncached(text, work);
  CHECK(difference(behind.logits, alone) <= reordering_tolerance(model->config, alone));
}

TEST_CASE("a chain that is given as a tree computes the chain's logits") {
  const auto model = kvarium_test::seeded_model({});
  CpuRunner runner(model, 1);
  runner.create_cache(8, 4);
  const std::vector<TokenId> tokens = random_tokens(6, 256, 1);
  const std::vector<BlockId> one{BlockId{0}, BlockId{1}}, other{BlockId{5}, BlockId{4}};
  const std::vector<std::uint32_t> parents{0, 0, 1, 2, 3, 4};
  const ForwardResult both = runner.forward(std::vector<ScheduledSequence>{
      {RequestId{0}, tokens, 0, one, 6, false, parents}, {RequestId{1}, tokens, 0, other, 6}});
  const auto half = std::span(both.logits).first(6 * 256);
  CHECK(difference(half, std::span(both.logits).last(6 * 256)) <= reordering_tolerance(model->config, half));
  CHECK(both.work[0].score_products == both.work[1].score_products);
}

TEST_CASE("a probe sees what each node reads, at the slots where it lies") {
  const auto model = kvarium_test::seeded_model({});
  CpuRunner runner(model, 1);
  runner.create_cache(8, 4);
  StepProbe probe;
  REQUIRE(runner.set_probe(&probe));
  const std::vector<TokenId> tokens = random_tokens(4, 256, 1);
  const std::vector<BlockId> table{BlockId{0}};
  const std::vector<std::uint32_t> parents{0, 0, 0, 2};
  runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, tokens, 0, table, 4, false, parents}});
  const std::vector<float>& attention = probe.sequences.at(0).attention;  // [heads][4 tokens][4 slots]
  REQUIRE(attention.size() == 4 * 4 * 4);
  for (std::size_t head = 0; head < 4; ++head) {
    const auto row = [&](std::size_t node) { return std::span(attention).subspan((head * 4 + node) * 4, 4); };
    for (std::size_t node = 0; node < 4; ++node) {
      float sum = 0;
      for (const float weight : row(node)) sum += weight;
      CHECK(std::abs(sum - 1) <= 8 * 0x1p-24F);  // of at most 4 weights that are divided by their sum
    }
    CHECK(row(2)[1] == 0);
    CHECK(row(3)[1] == 0);
    CHECK(row(3)[2] > 0);
  }
}

TEST_CASE("parents that are no tree of the tokens, and slots that do not exist, are misuse") {
  CpuRunner runner(kvarium_test::seeded_model({}), 1);
  runner.create_cache(2, 4);
  const std::vector<TokenId> tokens = random_tokens(3, 256, 1);
  const std::vector<BlockId> table{BlockId{0}};
  using Parents = std::vector<std::uint32_t>;
  for (const Parents& parents : {Parents{0, 0}, Parents{0, 2, 0}, Parents{1, 0, 0}}) {
    CHECK_THROWS_AS(runner.forward(std::vector<ScheduledSequence>{{RequestId{0}, tokens, 0, table, 3, false, parents}}),
                    MisuseError);
  }
  CHECK_THROWS_WITH(runner.move(std::vector<SlotMove>{{Slot{0}, Slot{8}}}), contains("no slot 8"));
}
