// A round over a tree of drafts: K and V of all nodes are written side by side, those of the path that the target goes
// are moved to the front, and the others are taken back.

#include "core/error.h"
#include "core/speculation/chi_square.h"
#include "core/speculation/tree.h"
#include "tests/support/speculation_bench.h"
#include "tests/support/tokens.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

const RequestId kA{0};
const std::string kPrompt = "abcdefghij";

/// Knows the answer, and hides it in a tree: along `right` stand the answer's tokens, elsewhere others.
class TreeProposer : public Proposer {
 public:
  TreeProposer(std::vector<std::uint32_t> tree, std::vector<std::uint32_t> right)
      : parents(std::move(tree)), right_(std::move(right)) {}
  std::string name() const override { return "a tree around the answer"; }
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override {
    std::vector<Draft> drafts(requests.size());
    if (requests[0].most + 1 < parents.size()) return drafts;
    Draft& draft = drafts[0];
    const std::size_t known = requests[0].tokens.size();
    const std::vector<TokenId> text = whole_text(kPrompt, 64);
    for (std::uint32_t node = 1; node < parents.size(); ++node) {
      const std::int32_t said = value(text[known + depth_of(parents, node) - 1]);
      const bool is_right = std::find(right_.begin(), right_.end(), node) != right_.end();
      draft.tokens.push_back(TokenId{is_right ? said : (said + 1 + static_cast<std::int32_t>(node) * shift) % 26});
    }
    draft.parents = parents;
    if (drops_a_token) draft.tokens.pop_back();
    if (is_drawn) draft.probabilities.assign(draft.tokens.size(), std::vector<double>(26, 1.0 / 26));
    return drafts;
  }
  std::vector<std::uint32_t> parents;
  bool is_drawn = false, drops_a_token = false;
  std::int32_t shift = 1;  // 0: all wrong ones at a place are alike

 private:
  std::vector<std::uint32_t> right_;
};

/// After the prompt and one round over the tree
///   0 ┬ 1 ┬ 3
///     │   └ 4 ─ 5
///     └ 2
/// whose pending token is at position 10, slot 50 of block 12; the nodes take slot 51 and four of block 5.
struct Round {
  explicit Round(std::vector<std::uint32_t> right, PrefixCaching cache = PrefixCaching::off)
      : proposer({0, 0, 0, 1, 1, 4}, std::move(right)), bench(26, 64, config(cache)) {
    bench.engine.submit(ask(kPrompt, 32));
    bench.step();
    first_event = bench.sink.events.size();
  }
  EngineConfig config(PrefixCaching cache) {
    EngineConfig config = speculating(&proposer, 5, worked_order());
    config.prefix_cache.kind = cache;
    return config;
  }
  std::string kept_path() const {
    for (std::size_t i = first_event; i < bench.sink.events.size(); ++i) {
      const auto* const kept = std::get_if<DraftPathMoved>(&bench.sink.events[i]);
      if (kept == nullptr) continue;
      std::string text;
      for (const std::uint32_t node : kept->path) text += std::to_string(node);
      return text;
    }
    return "in front";
  }

  TreeProposer proposer;
  SpeculationBench bench;
  std::size_t first_event = 0;
};

}  // namespace

TEST_CASE("the path 1, 4, 5 is accepted: its K and V move to the slots of positions 11 to 13, and block 5 stays") {
  Round r({1, 4, 5});
  r.bench.step();
  CHECK(r.bench.table(kA) == "[7,3,12,5] 14 tokens");
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 5));
  CHECK(r.kept_path() == "145");
  CHECK(r.bench.runner.move_calls == 1);
}

TEST_CASE("the second guess alone is right: its slot is moved, and the block of the others returns") {
  Round r({2});
  r.bench.step();
  CHECK(r.bench.table(kA) == "[7,3,12] 12 tokens");
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 3));
  CHECK(r.kept_path() == "2");
}

TEST_CASE("a path of the first nodes lies where it must: nothing is moved") {
  Round r({1});
  r.bench.step();
  CHECK(r.bench.table(kA) == "[7,3,12] 12 tokens");
  CHECK(r.kept_path() == "in front");
  CHECK(r.bench.runner.move_calls == 0);
}

TEST_CASE("nothing is right: one token all the same") {
  Round r({});
  r.bench.step();
  CHECK(r.bench.table(kA) == "[7,3,12] 11 tokens");
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 2));
}

TEST_CASE("round after round the text is plain decoding's, with every invariant, for each prefix cache") {
  const PrefixCaching cache = GENERATE(values({PrefixCaching::off, PrefixCaching::hash, PrefixCaching::radix}));
  Round r({1, 4, 5}, cache);
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 32));
  CHECK(r.bench.world().speculation.accepted >= 3 * 5);
}

TEST_CASE("the World knows which nodes were judged, and refuses another path than was accepted") {
  Round r({1, 4, 5});
  r.bench.step();
  const DraftRound& round = *r.bench.world().request(kA).round;
  CHECK(round.path() == std::vector<std::uint32_t>{1, 4, 5});
  CHECK(round.path_moved);
  CHECK(round.longest() == 3);
  CHECK(round.depth(4) == 3);
  CHECK(round.trial_of(3)->accepted);  // node 4
  CHECK(round.trial_of(1) == nullptr);
  World world = r.bench.world();
  CHECK_THROWS_WITH(fold(world, DraftPathMoved{kA, {1, 3}}), contains("another path"));
  CHECK(world == r.bench.world());
}

TEST_CASE("an accepted path that is not moved is reported") {
  Round r({2});
  r.bench.step();
  World world;
  for (const Event& event : r.bench.sink.events) {
    if (!std::holds_alternative<DraftPathMoved>(event)) fold(world, event);
  }
  CHECK(
      violations(world) ==
      std::vector<std::string>{"The drafts of request A that were accepted are not in the slots of their positions."});
}

TEST_CASE("when the slots cannot be moved no token of the step counts, and the step may be tried again") {
  Round r({1, 4, 5});
  const std::string before = r.bench.table(kA);
  r.bench.runner.move_fails_at = 1;
  CHECK_THROWS_WITH(r.bench.step(), contains("the device was lost"));
  CHECK(r.bench.table(kA) == before);
  CHECK(r.bench.engine.pool().num_free() == 10);
  r.bench.run();
  CHECK(r.bench.text_of(kA) == answer_of(kPrompt, 32));
}

TEST_CASE("a tree of drawn tokens, with two siblings alike, or for typical acceptance is misuse, and nothing changes") {
  Round r({1});
  const auto check_refused = [&](const std::string& why) {
    CHECK_THROWS_WITH(r.bench.step(), contains(why));
    CHECK(r.bench.table(kA) == "[7,3,12] 10 tokens");
  };
  r.proposer.is_drawn = true;
  check_refused("must be certain");
  r.proposer.is_drawn = false;
  r.proposer.shift = 0;
  check_refused("twice at one place");
  r.proposer.parents = {0, 0, 0};
  r.proposer.drops_a_token = true;
  check_refused("other nodes");
}

TEST_CASE("typical acceptance judges chains alone") {
  TreeProposer proposer({0, 0, 0}, {1});
  EngineConfig config = speculating(&proposer, 5, ascending_order(8));
  config.speculation.rule = AcceptanceRule::typical;
  SpeculationBench bench(26, 64, std::move(config));
  bench.engine.submit(ask(kPrompt, 8));
  bench.step();
  CHECK_THROWS_WITH(bench.step(), contains("typical acceptance judges chains"));
}

TEST_CASE("counted: sampled through trees, three tokens have the joint distribution that plain sampling gives") {
  constexpr int kRuns = 20'000;
  constexpr std::uint32_t kVocab = 3;
  const auto count = [&](Proposer* proposer) {
    std::vector<std::uint64_t> counts(kVocab * kVocab * kVocab, 0);
    SpeculationBench bench(kVocab, 64, speculating(proposer, 5, ascending_order(8)));
    bench.runner.varied = true;
    for (int i = 0; i < kRuns; ++i) {
      RequestSpec spec = ask("abc", 6);
      spec.sampling.temperature = 1;
      spec.sampling.seed = static_cast<std::uint64_t>(i) + 1;
      const RequestId id = bench.engine.submit(spec);
      while (bench.engine.step()) {
      }
      const auto said = bench.engine.request(id).generated();  // the first from the prompt's pass, the others of rounds
      ++counts[(index(said[1]) * kVocab + index(said[2])) * kVocab + index(said[3])];
      bench.sink.events.clear();
    }
    return counts;
  };
  // What plain decoding gives, from the logits alone: summed over the first token.
  std::vector<double> expected(kVocab * kVocab * kVocab, 0.0);
  const auto next = [&](std::vector<TokenId> text) {
    SamplingParams params;
    params.temperature = 1;
    return distribution(varied_logits(text, kVocab), params);
  };
  std::vector<TokenId> text = tokens_of("abc");
  for (std::int32_t cell = 0; cell < 81; ++cell) {
    double likely = 1;
    std::vector<TokenId> said = text;
    for (const std::int32_t place : {27, 9, 3, 1}) {
      const TokenId token{cell / place % 3};
      likely *= next(said)[index(token)];
      said.push_back(token);
    }
    expected[static_cast<std::size_t>(cell % 27)] += likely;
  }
  const PositionHeads heads(kVocab);
  MedusaProposer tree(heads, {.ranks = kVocab});
  CHECK(chi_square(count(&tree), expected).p_value > .001);
}

TEST_CASE("when a sampled round is tried again after a failure its tokens are the same") {
  const auto answer = [](int fail_at) {
    const PositionHeads heads(3);
    MedusaProposer tree(heads, {.ranks = 3});
    SpeculationBench bench(3, 64, speculating(&tree, 5, ascending_order(16)));
    bench.runner.varied = true;
    bench.runner.fail_at = fail_at;
    RequestSpec spec = ask("abc", 20);
    spec.sampling.temperature = 1;
    const RequestId id = bench.engine.submit(spec);
    bool more = true;
    while (more) {
      try {
        more = bench.engine.step();
      } catch (const std::runtime_error&) {
      }
    }
    return bench.text_of(id);
  };
  const std::string undisturbed = answer(0);
  CHECK(undisturbed.size() == 20);
  CHECK(answer(3) == undisturbed);
}

TEST_CASE("Medusa heads offer several guesses each as a tree, and as many nodes as may be verified") {
  const PositionHeads heads(26);
  MedusaProposer proposer(heads, {.ranks = 2});
  const std::vector<TokenId> tokens = ids({1, 2, 3});
  proposer.settle(kA, tokens, std::vector<float>{3});
  const std::vector<DraftRequest> wishes{{kA, tokens, 5, nullptr}};
  const Draft draft = proposer.propose(wishes).front();
  CHECK(draft.parents == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 3});
  CHECK(draft.tokens == ids({15, 16, 16, 17, 17}));  // two of head 0, two of head 1 behind its first, one of head 2
  CHECK(draft.work.flops == 3);                      // each head is asked once
}
