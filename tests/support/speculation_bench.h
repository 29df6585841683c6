#pragma once
// An engine over the fake model that speculates, every step checked against the World, and proposers for it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/speculation/medusa.h"
#include "core/speculation/oracle.h"
#include "tests/support/engine_bench.h"

namespace kvarium_test {

struct SpeculationBench {
  SpeculationBench(std::uint32_t vocab, std::uint32_t context, EngineConfig config, ContinuousOptions options = {})
      : runner(context, vocab), scheduler(options), engine(std::move(config), runner, scheduler, text, sink) {
    runner.on_read = [this](RequestId id, std::span<const TokenId> cached) {
      const std::vector<TokenId>& own = engine.request(id).tokens;  // behind them the drafts of the round
      const std::size_t count = std::min(own.size(), cached.size());
      const bool is_own = std::equal(cached.begin(), cached.begin() + static_cast<std::ptrdiff_t>(count), own.begin());
      if (!is_own) FAIL_CHECK("request " << letter(id) << " reads K and V of another text");
    };
  }
  bool step() {
    const bool more = engine.step();
    world_check(sink, engine);
    return more;
  }
  void run() {
    while (step()) {
    }
  }
  const World& world() const { return world_check.world(); }
  std::string text_of(RequestId id) const { return engine.request(id).text; }
  std::string table(RequestId id) const { return engine.table(id)->show(); }

  VectorSink sink;
  FakeRunner runner;
  ContinuousScheduler scheduler;
  LetterText text;
  Engine engine;
  WorldCheck world_check;
};

inline EngineConfig speculating(Proposer* proposer, std::uint32_t k, std::vector<BlockId> hand_out_order,
                                std::uint32_t block_size = 4) {
  EngineConfig config;
  config.block_size = block_size;
  config.hand_out_order = std::move(hand_out_order);
  config.clock = [now = std::uint64_t{0}]() mutable { return now += 1000; };
  config.speculation.proposer = proposer;
  config.speculation.length.most = k;
  return config;
}

/// The blocks of the worked rollback: a prompt of 10 tokens in blocks of 4 takes 7, 3 and 12, its drafts take 5.
inline std::vector<BlockId> worked_order() {
  std::vector<BlockId> order;
  for (const std::uint32_t block : {7, 3, 12, 5, 9, 0, 1, 2, 4, 6, 8, 10, 11}) order.push_back(BlockId{block});
  return order;
}

/// Prompt and answer of the fake model.
inline std::vector<TokenId> whole_text(const std::string& prompt, std::size_t answer, std::uint32_t vocab = 26) {
  return tokens_of(prompt + answer_of(prompt, answer, vocab));
}

/// Knows the answers to these prompts; of the drafts of each round the first `right` are right.
inline std::unique_ptr<OracleProposer> oracle(const std::vector<std::string>& prompts,
                                              OracleProposer::RightDrafts right, std::uint32_t vocab = 26) {
  std::vector<std::vector<TokenId>> texts;
  for (const std::string& prompt : prompts) texts.push_back(whole_text(prompt, 64, vocab));
  return std::make_unique<OracleProposer>(std::move(texts), vocab, std::move(right));
}

/// The fake model, but every third of its rows of logits says another token.
class MistakenRunner : public FakeRunner {
 public:
  using FakeRunner::FakeRunner;
  ForwardResult forward(std::span<const ScheduledSequence> batch) override {
    ForwardResult result = FakeRunner::forward(batch);
    const std::size_t vocab = shape().vocab;
    for (std::size_t at = 0; at < result.logits.size(); at += vocab) {
      const auto row = result.logits.begin() + static_cast<std::ptrdiff_t>(at);
      if (++rows_ % 3 == 0) std::rotate(row, row + 1, row + static_cast<std::ptrdiff_t>(vocab));
    }
    return result;
  }

 private:
  std::size_t rows_ = 0;
};

/// Heads that guess by the position alone: as good as chance.
class PositionHeads : public MedusaHeads {
 public:
  explicit PositionHeads(std::uint32_t vocab) : vocab_(vocab) {}
  std::uint32_t num_heads() const override { return 3; }
  std::uint32_t hidden_size() const override { return 1; }
  std::vector<TokenId> guess(std::uint32_t head, std::span<const float> hidden, std::uint32_t ranks,
                             Work& work) const override {
    work.flops += 1;
    const auto position = static_cast<std::uint32_t>(hidden[0]);
    std::vector<TokenId> tokens;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      tokens.push_back(TokenId{static_cast<std::int32_t>((position * 5 + head + rank) % vocab_)});
    }
    return tokens;
  }

 private:
  std::uint32_t vocab_;
};

}  // namespace kvarium_test
