// Drafts on a real transformer: the text is that of plain decoding, and Medusa heads compute what their equation says.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/engine.h"
#include "core/error.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/speculation/draft_model.h"
#include "core/speculation/ngram.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/speculation/medusa_heads.h"
#include "tests/cpu_reference/support.h"
#include "tests/support/fake_runner.h"
#include "tests/support/seeded_model.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::contains;
using kvarium_test::random_tokens;
using kvarium_test::seeded_model;

namespace {

/// Random heads for a model, in memory of their own.
struct HeadFile {
  HeadFile(std::uint32_t heads, std::uint32_t hidden) {
    std::mt19937_64 draws(3);
    for (std::uint32_t k = 0; k < heads; ++k) {
      const std::string name = "medusa." + std::to_string(k);
      add(name + ".weight", {hidden, hidden}, draws);
      add(name + ".bias", {hidden}, draws);
      add(name + ".projection", {hidden, hidden}, draws);
    }
  }
  void add(const std::string& name, std::vector<std::uint64_t> shape, std::mt19937_64& draws) {
    std::uint64_t count = 1;
    for (const std::uint64_t side : shape) count *= side;
    auto& floats = numbers.emplace_back(std::make_unique<std::vector<float>>());
    for (std::uint64_t i = 0; i < count; ++i) floats->push_back((static_cast<float>(draws() >> 40) * 0x1p-23F - 1) / 4);
    tensors.add({name, WeightType::f32, std::move(shape), std::as_bytes(std::span(*floats)), nullptr});
  }
  std::vector<std::unique_ptr<std::vector<float>>> numbers;
  TensorTable tensors;
};

struct Serving {
  std::shared_ptr<const Model> model;
  Proposer* proposer = nullptr;
  std::uint32_t k = 3;
  std::uint32_t block_size = 4;
  PrefixCaching cache = PrefixCaching::off;
};

/// The answers to three prompts that begin alike.
std::vector<std::vector<TokenId>> answers(const Serving& serving) {
  CpuRunner runner(serving.model, 1);
  EngineConfig config;
  config.block_size = serving.block_size;
  config.hand_out_order = scrambled_order(200 / serving.block_size, 5);
  config.prefix_cache.kind = serving.cache;
  config.speculation.proposer = serving.proposer;
  config.speculation.length.most = serving.k;
  const ContinuousScheduler scheduler;
  const kvarium_test::LetterText text;
  NullSink sink;
  Engine engine(config, runner, scheduler, text, sink);
  const std::vector<TokenId> story = random_tokens(30, serving.model->config.shape.vocab, 4);
  std::vector<RequestId> ids;
  for (const std::size_t length : {9U, 14U, 5U}) {
    RequestSpec spec;
    spec.prompt.assign(story.begin(), story.begin() + static_cast<std::ptrdiff_t>(length));
    spec.max_new_tokens = 24;
    ids.push_back(engine.submit(spec));
    engine.step();
  }
  while (engine.step()) {
  }
  std::vector<std::vector<TokenId>> all;
  for (const RequestId id : ids) {
    const auto said = engine.request(id).generated();
    all.emplace_back(said.begin(), said.end());
  }
  return all;
}

}  // namespace

TEST_CASE("a transformer says the same with drafts as without, for each proposer, length, block size and cache") {
  const auto target = seeded_model({.vocab = 24, .tied_head = true});
  CpuRunner small(seeded_model({.vocab = 24, .layers = 1, .tied_head = true}), 1);
  const HeadFile file(3, 64);
  const CpuMedusaHeads heads(target, file.tensors, "heads");
  const std::size_t kind = GENERATE(0, 1, 2, 3);
  const std::uint32_t k = GENERATE(1, 4, 9), block_size = GENERATE(1, 4);
  const PrefixCaching cache = GENERATE(values({PrefixCaching::off, PrefixCaching::hash, PrefixCaching::radix}));
  DraftModel draft(small, 64, 4);
  NgramProposer ngram({.shortest = 1, .longest = 3});
  MedusaProposer medusa(heads), medusa_tree(heads, {.ranks = 3});
  const std::array<Proposer*, 4> proposers{&draft, &ngram, &medusa, &medusa_tree};
  INFO(proposers[kind]->name());
  CHECK(answers({target, proposers[kind], k, block_size, cache}) == answers({target}));
}

TEST_CASE("the hidden states that a runner returns are those from which the logits come") {
  const auto model = seeded_model({});
  CpuRunner runner(model, 1);
  runner.create_cache(4, 4);
  const std::vector<TokenId> a = random_tokens(6, 256, 1), b = random_tokens(5, 256, 2);
  const std::vector<BlockId> table_a{BlockId{3}, BlockId{0}}, table_b{BlockId{1}, BlockId{2}};
  const ForwardResult result = runner.forward(
      std::vector<ScheduledSequence>{{RequestId{0}, a, 0, table_a, 2, false}, {RequestId{1}, b, 0, table_b, 3, true}});
  REQUIRE(result.hidden.size() == 3 * 64);
  const Matrix hidden = Eigen::Map<const Matrix>(result.hidden.data(), 3, 64);
  const Matrix logits = hidden * model->weights.head.f32().transpose();
  const auto last = std::span<const float>(result.logits).last(3 * 256);
  CHECK(kvarium_test::difference(std::span(logits.data(), 3 * 256), last) <=
        kvarium_test::reordering_tolerance(model->config, last));
}

TEST_CASE("a Medusa head adds what it learned to the hidden state, and the model's own head speaks") {
  const auto model = seeded_model({.vocab = 32, .hidden = 8});
  const HeadFile file(2, 8);
  const CpuMedusaHeads heads(model, file.tensors, "heads");
  CHECK(heads.num_heads() == 2);
  CHECK(heads.hidden_size() == 8);
  std::mt19937_64 draws(9);
  const Matrix h = kvarium_test::random_matrix(1, 8, draws);
  // Of head 1.
  const Eigen::Map<const Matrix> w(file.numbers[3]->data(), 8, 8), projection(file.numbers[5]->data(), 8, 8);
  const std::vector<float>& bias = *file.numbers[4];
  std::vector<double> inner(8), projected(8), logits(32);
  for (std::size_t o = 0; o < 8; ++o) {
    double x = static_cast<double>(bias[o]);
    for (std::size_t i = 0; i < 8; ++i)
      x += static_cast<double>(w(Index(o), Index(i))) * static_cast<double>(h(0, Index(i)));
    inner[o] = static_cast<double>(h(0, Index(o))) + x / (1 + std::exp(-x));
  }
  for (std::size_t o = 0; o < 8; ++o) {
    for (std::size_t i = 0; i < 8; ++i) projected[o] += static_cast<double>(projection(Index(o), Index(i))) * inner[i];
  }
  for (std::size_t v = 0; v < 32; ++v) {
    for (std::size_t i = 0; i < 8; ++i) {
      logits[v] += static_cast<double>(model->weights.head.f32()(Index(v), Index(i))) * projected[i];
    }
  }
  Work work;
  const std::vector<TokenId> best = heads.guess(1, std::span(h.data(), 8), 3, work);
  std::vector<std::int32_t> order(32);
  for (std::int32_t v = 0; v < 32; ++v) order[static_cast<std::size_t>(v)] = v;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  CHECK(best == std::vector<TokenId>{TokenId{order[0]}, TokenId{order[1]}, TokenId{order[2]}});
  CHECK(work.flops == 2 * (8 * 8 + 8 * 8 + 8 * 32));
}

TEST_CASE("heads that are missing, of another size, or with something beside them are refused") {
  const auto model = seeded_model({.vocab = 32, .hidden = 8});
  CHECK_THROWS_WITH(CpuMedusaHeads(model, TensorTable{}, "heads"), contains("medusa.0.weight"));
  const HeadFile wide(1, 16);
  CHECK_THROWS_WITH(CpuMedusaHeads(model, wide.tensors, "heads"), contains("heads") && contains("medusa.0.weight"));
  HeadFile more(1, 8);
  std::mt19937_64 draws(1);
  more.add("medusa.1.bias", {8}, draws);
  CHECK_THROWS_WITH(CpuMedusaHeads(model, more.tensors, "heads"), contains("medusa.1.bias"));
}

TEST_CASE("a guess from another hidden state, or by a head that there is not, is misuse") {
  const auto model = seeded_model({.vocab = 32, .hidden = 8});
  const HeadFile file(1, 8);
  const CpuMedusaHeads heads(model, file.tensors, "heads");
  Work work;
  const std::vector<float> h(8), wide(9);
  CHECK_THROWS_AS(heads.guess(1, h, 1, work), MisuseError);
  CHECK_THROWS_AS(heads.guess(0, wide, 1, work), MisuseError);
  CHECK_THROWS_AS(heads.guess(0, h, 33, work), MisuseError);
}
