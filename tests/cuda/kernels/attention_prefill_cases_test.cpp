// attention_prefill where things go wrong: NaN, nothing to do, wrong heads and tables; and trees of drafts.

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/speculation/tree.h"
#include "tests/cuda/emulate.h"
#include "tests/cuda/kernels/prefill_problem.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using namespace kvarium_test;
using kvarium::MisuseError;

namespace {

constexpr PrefillRung kRungs[] = {PrefillRung::naive, PrefillRung::tiled, PrefillRung::mma};

/// A tree: the parent of each token, itself for a root. Each sees its past, its ancestors and itself.
std::vector<unsigned long long> ancestors_of(const std::vector<unsigned>& parents) {
  std::vector<unsigned long long> bits;
  for (unsigned i = 0; i < parents.size(); ++i) {
    bits.push_back((parents[i] == i ? 0 : bits[parents[i]]) | 1ULL << i);
  }
  return bits;
}

/// Medusa's tree: who sees whom, as core/speculation has it.
std::vector<unsigned long long> ancestors_of(const kvarium::CandidateTree& tree) {
  std::vector<unsigned long long> bits(tree.size());
  for (std::uint32_t node = 0; node < tree.size(); ++node) {
    for (std::uint32_t other = 0; other < tree.size(); ++other) {
      if (tree.attends(node, other)) bits[node] |= 1ULL << other;
    }
  }
  return bits;
}

template <typename T>
void check_medusa_tree(PrefillRung rung) {
  const kvarium::CandidateTree tree =
      kvarium::make_tree({{0}, {1}, {2}, {0, 0}, {0, 1}, {1, 0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0, 0}});
  PrefillProblem<T> problem({4, {4, 2, 16}}, {{7, static_cast<unsigned>(tree.size())}});
  problem.ancestors = ancestors_of(tree);
  const std::vector<T> got = problem.run(rung);
  INFO("rung " << static_cast<int>(rung));
  CHECK(problem.worst(rung, got) <= 1);
  CHECK(problem.worst_alone(rung, got) <= 1);
}

}  // namespace

TEST_CASE("attention_prefill: a NaN or an infinity in K stays in its own sequence, and with those that see it") {
  for (const float wrong : {std::nanf(""), INFINITY, -INFINITY}) {
    for (const PrefillRung rung : kRungs) {
      PrefillProblem<bf16> problem({1, {4, 1, 16}}, {{0, 8}, {4, 6}, {1, 3}});
      const std::vector<bf16> before = problem.run(rung);
      problem.keys[problem.row(1, 6, 0) + 3] = from_float<bf16>(wrong);
      problem.keys[problem.row(1, 6, 0) + 4] = from_float<bf16>(-wrong);
      const std::vector<bf16> after = problem.run(rung);
      INFO("rung " << static_cast<int>(rung) << ", " << wrong);
      const std::size_t first = std::size_t{8 + 2} * 16, last = std::size_t{8 + 6} * 16;  // queries that see key 6
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (i < first || i >= last) CHECK(before[i].bits == after[i].bits);
      }
      if (std::isnan(wrong)) CHECK(std::isnan(to_float(after[first])));
    }
  }
}

TEST_CASE("attention_prefill: sequences without new tokens are passed over, and no work is none") {
  for (const PrefillRung rung : kRungs) {
    const PrefillProblem<bf16> problem({1, {4, 1, 16}}, {{5, 0}, {2, 3}, {0, 0}, {7, 1}});
    CHECK(problem.worst(rung, problem.run(rung)) <= 1);
    CHECK(PrefillProblem<bf16>({1, {4, 1, 16}}, {{5, 0}}).run(rung).empty());
    CHECK(PrefillProblem<bf16>({1, {4, 1, 16}}, {}).run(rung).empty());
  }
}

TEST_CASE("attention_prefill: what a rung cannot take is refused before anything is launched") {
  const auto run = [](unsigned query_heads, const kvarium::KvLayout& layout) {
    AttentionPrefill<float> batch;
    batch.cache.layout = layout;
    batch.query_heads = query_heads;
    batch.sequences = batch.most_new = 1;
    Stream stream;
    attention_prefill<float>(PrefillRung::tiled, stream, batch);
  };
  CHECK_THROWS_WITH(run(3, {16, 2, 64}),
                    "attention_prefill: 3 query heads cannot share 2 KV heads in blocks of 16 tokens");
  CHECK_THROWS_AS(run(3, {16, 0, 64}), MisuseError);
  CHECK_THROWS_AS(run(2, {0, 2, 64}), MisuseError);
  CHECK_THROWS_WITH(run(2, {16, 2, 48}),
                    "attention_prefill: heads are 16, 32, 64 or 128 numbers wide, for rung naive also 8, not 48");
  PrefillProblem<float> problem({1, {4, 1, 16}}, {{0, 65}});
  CHECK_THROWS_WITH(problem.run(PrefillRung::mma), "attention_prefill: rung mma multiplies 16-bit numbers, not float");
  CHECK_THROWS_AS(run(70000, {16, 70000, 64}), MisuseError);  // a grid has at most 65535 blocks in y
}

TEST_CASE("attention_prefill: a block that does not exist is told with its sequence") {
  for (const PrefillRung rung : kRungs) {
    PrefillProblem<bf16> problem({1, {4, 1, 16}}, {{0, 8}, {4, 6}});
    problem.tables[problem.most_blocks + 1] = 77;
    CHECK(fault_of([&] { problem.run(rung); })
              .find("entry 1 of the block table of sequence 1 is block 77; the cache has " +
                    std::to_string(problem.num_blocks)) != std::string::npos);
  }
}

TEST_CASE("attention_prefill: in a tree of drafts each token sees the past, its ancestors and itself") {
  //   0 - 1 - 3
  //    \- 2 - 4   and a second root 5
  const std::vector<unsigned> parents = {0, 0, 0, 1, 2, 5};
  for (const PrefillRung rung : kRungs) {
    PrefillProblem<bf16> tree({2, {4, 1, 16}}, {{19, 6}});
    tree.ancestors = ancestors_of(parents);
    const std::vector<bf16> got = tree.run(rung);
    INFO("rung " << static_cast<int>(rung));
    CHECK(tree.worst(rung, got) <= 1);
    CHECK(tree.worst_alone(rung, got) <= 1);
  }
}

TEST_CASE("attention_prefill: each node of a Medusa tree is what it is at the end of its path alone") {
  for (const PrefillRung rung : kRungs) check_medusa_tree<bf16>(rung);
  for (const PrefillRung rung : {PrefillRung::naive, PrefillRung::tiled}) check_medusa_tree<float>(rung);
}

TEST_CASE("attention_prefill: beside a tree, more than 64 new tokens are a chain, whatever their bits say") {
  for (const PrefillRung rung : kRungs) {
    PrefillProblem<bf16> problem({1, {4, 1, 16}}, {{5, 3}, {2, 65}});
    const std::vector<bf16> chains = problem.run(rung);
    problem.ancestors = {1, 3, 5};
    problem.ancestors.resize(3 + 65, 0);
    const std::vector<bf16> got = problem.run(rung);
    const auto row_bytes = 16 * sizeof(bf16);
    CHECK(std::memcmp(got.data() + 3 * 16, chains.data() + 3 * 16, 65 * row_bytes) == 0);
    CHECK(std::memcmp(got.data() + 2 * 16, chains.data() + 2 * 16, row_bytes) != 0);  // 2 does not see 1 any more
  }
}

TEST_CASE("attention_prefill: trees of 64 tokens, several sequences, and a token that sees nothing") {
  for (const PrefillRung rung : kRungs) {
    PrefillProblem<bf16> problem({2, {8, 1, 16}}, {{0, 3}, {21, 64}});
    std::vector<unsigned> parents(64);
    for (unsigned i = 0; i < 64; ++i) parents[i] = i == 0 ? 0 : (i - 1) / 2;
    problem.ancestors = {1, 2, 0};  // two roots, and a token that does not even see itself
    for (const unsigned long long bits : ancestors_of(parents)) problem.ancestors.push_back(bits);
    const std::vector<bf16> got = problem.run(rung);
    CHECK(problem.worst(rung, got) <= 1);
    CHECK(to_float(got[std::size_t{2} * 32]) == 0);
  }
}
