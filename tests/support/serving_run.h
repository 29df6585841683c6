#pragma once
// A run like an engine's, without a model: requests arrive, are admitted, prefilled in chunks, decoded, preempted when
// the pool is exhausted, and finish. Its events are a legal trace; the same seed gives the same run.

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/trace/event_sink.h"

namespace kvarium_test {

using namespace kvarium;

/// A single request must fit the pool: longest_prompt + longest_answer <= num_blocks * block_size.
struct ServingShape {
  std::uint32_t num_blocks = 12;
  std::uint32_t block_size = 4;
  std::size_t max_running = 4;
  std::uint32_t longest_prompt = 12;
  std::uint32_t longest_answer = 12;
  std::uint32_t chunk = 8;          ///< prompt tokens computed a step and request
  std::uint32_t most_arrivals = 2;  ///< a step, while fewer than 2 * max_running requests are alive
  bool mishaps = true;              ///< now and then a request is aborted, or its last token taken back
};

class ServingRun {
 public:
  ServingRun(const ServingShape& shape, std::uint64_t seed, EventSink& sink)
      : shape_(shape),
        random_(seed),
        sink_(sink),
        pool_(shape.block_size, scrambled_order(shape.num_blocks, seed), sink) {}

  struct Live {
    RequestId id;
    std::uint32_t limit;   ///< tokens that it will have at its end
    std::uint32_t tokens;  ///< that it has now
    std::uint32_t computed;
    BlockTable table;
  };
  const BlockPool& pool() const { return pool_; }
  const std::list<Live>& running() const { return running_; }

  void step() {
    arrive();
    sink_.emit(StepStarted{++step_});
    admit();
    auto live = running_.begin();
    while (live != running_.end()) {
      if (!find_slots(live)) break;  // it was the last one, and waits again
      const auto next = std::next(live);
      if (compute(*live)) end(live);
      live = next;
    }
    sink_.emit(StepTimed{1000, true});
  }

 private:
  using Place = std::list<Live>::iterator;

  std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(random_() % most); }
  TokenId some_token() { return TokenId{static_cast<std::int32_t>(below(512))}; }

  void arrive() {
    for (std::uint32_t arrivals = below(shape_.most_arrivals + 1); arrivals > 0; --arrivals) {
      if (running_.size() + waiting_.size() >= 2 * shape_.max_running) return;
      std::vector<TokenId> prompt(1 + below(shape_.longest_prompt));
      for (TokenId& token : prompt) token = some_token();
      const auto tokens = static_cast<std::uint32_t>(prompt.size());
      const std::uint32_t answer = 1 + below(shape_.longest_answer);
      const RequestId id{next_id_++};
      sink_.emit(RequestArrived{id, std::move(prompt), answer});
      waiting_.push_back({id, tokens + answer, tokens, 0, BlockTable(pool_, id)});
    }
  }

  void admit() {
    while (!waiting_.empty() && running_.size() < shape_.max_running) {
      const Live& next = waiting_.front();
      if (next.table.blocks_needed(std::min(next.tokens, shape_.chunk)) > pool_.num_free()) return;
      sink_.emit(RequestAdmitted{next.id});
      running_.splice(running_.end(), waiting_, waiting_.begin());
    }
  }

  std::uint32_t tokens_this_step(const Live& live) const { return std::min(live.tokens - live.computed, shape_.chunk); }

  /// Takes blocks for what the step computes, from the newest requests when the pool has none. False when the request
  /// itself was the newest.
  bool find_slots(Place live) {
    while (!live->table.append(tokens_this_step(*live))) {
      const auto newest = std::prev(running_.end());
      newest->table.release();
      sink_.emit(RequestPreempted{newest->id, newest->computed});
      newest->computed = 0;
      const bool itself = newest == live;
      waiting_.splice(waiting_.begin(), running_, newest);
      if (itself) return false;
    }
    return true;
  }

  /// One chunk of the prompt, or one new token. True when the request ends.
  bool compute(Live& live) {
    const std::uint32_t count = tokens_this_step(live);
    sink_.emit(KvComputed{live.id, live.computed, count, count == 1 ? Phase::decode : Phase::prefill, true});
    live.computed += count;
    sink_.emit(KvRead{live.id, live.computed});
    sink_.emit(
        WorkCounted{live.id, {count, std::uint64_t{count} * live.computed, live.computed * 64ULL, count * 128ULL}});
    if (shape_.mishaps && below(16) == 0) {
      live.table.rollback_to(--live.computed);
      return false;
    }
    if (live.computed == live.tokens) sink_.emit(TokenSampled{live.id, live.tokens++, some_token()});
    return live.tokens == live.limit || (shape_.mishaps && below(64) == 0);
  }

  void end(Place live) {
    live->table.release();
    if (live->tokens == live->limit) {
      sink_.emit(RequestFinished{live->id, FinishReason::max_tokens});
    } else {
      sink_.emit(RequestAborted{live->id});
    }
    running_.erase(live);
  }

  ServingShape shape_;
  std::mt19937_64 random_;
  EventSink& sink_;
  BlockPool pool_;
  std::list<Live> running_, waiting_;
  std::uint32_t next_id_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace kvarium_test
