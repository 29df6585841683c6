#pragma once
// The engine: requests come in, and each step computes some of their tokens.
//
//   plan(): const, the scheduler decides  ->  apply(): the only place where anything changes or is announced
//
// With speculation a step of a request is a round: k tokens are guessed, one forward pass computes its newest token and
// the k guesses and judges them, and what was rejected is taken back (engine_speculation.cpp).
//
// Events of one step: StepStarted; for each preempted request KvSwappedOut (if it is swapped), BlockReleased...,
// RequestPreempted; for each admitted one RequestAdmitted, BlockReused or BlockShared..., PrefixMatched; KvSwappedIn;
// DraftProposed...; BlockEvicted, BlockAllocated, BlockCopied... for all chunks; the forward pass; for each chunk
// KvComputed, KvRead, WorkCounted, BlockCached...; RequestForked...; for each request that computed its last token
// TokenNamed (if new), TokenSampled, and at its end BlockReleased..., RequestFinished; StepTimed. What a round of
// drafts adds: draft_events.h.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/faults/fault.h"
#include "core/ids.h"
#include "core/model_runner.h"
#include "core/prefix/make_prefix_cache.h"
#include "core/scheduling/request.h"
#include "core/scheduling/scheduler.h"
#include "core/speculation/speculation_config.h"
#include "core/speculation/tree_acceptance.h"
#include "core/token_text.h"
#include "core/trace/event_sink.h"

namespace kvarium {

/// What becomes of the K and V of a request that is preempted.
enum class Preemption : std::uint8_t {
  recompute,  ///< they are computed again
  swap,       ///< they wait in the memory of the host, as far as swap_bytes allows; then as recompute
};

struct EngineConfig {
  std::uint32_t block_size = 16;        ///< tokens a block
  std::vector<BlockId> hand_out_order;  ///< ascending_order(n) or scrambled_order(n, seed): a pool of n blocks
  StepLimits limits;
  std::function<std::uint64_t()> clock = {};  ///< nanoseconds; none: a steady clock of this machine
  PrefixCacheConfig prefix_cache = {};
  Preemption preemption = Preemption::recompute;
  std::uint64_t swap_bytes = std::uint64_t{1} << 30U;  ///< of the host's memory, with Preemption::swap
  Fault fault = Fault::none;                           ///< to be watched. Those of a scheduler are a SkippingScheduler
  SpeculationConfig speculation = {};
};

class Engine {
 public:
  /// Makes the pool and the runner's cache, and announces the model and the pool. InputError for a config that cannot
  /// run, for a proposer that does not fit the model, or when the cache does not fit in memory. The four others must
  /// outlive the engine.
  Engine(EngineConfig config, ModelRunner& runner, const Scheduler& scheduler, const TokenText& token_text,
         EventSink& sink);

  /// The request joins the waiting queue. InputError, nothing changed or announced, when it could never be served: no
  /// prompt, a token outside the vocabulary, parameters out of range, no room in the context for one new token, more
  /// candidates than may run, or min(prompt + max_new_tokens, context) tokens that need more blocks than the whole pool
  /// has.
  RequestId submit(RequestSpec spec);
  /// Another request with the same tokens, answer so far and blocks, which draws on with a seed of its own. InputError,
  /// nothing changed, when the parent does not run or no more requests may run. MisuseError for an id that was never
  /// given.
  RequestId fork(RequestId parent, std::uint64_t seed);
  /// Nothing happens for so long: cached blocks grow old.
  void wait(std::uint64_t nanoseconds);
  /// Forgets all cached prefixes, for new weights. False, nothing done, while any request has K and V of the old ones,
  /// in a block or in the memory of the host.
  [[nodiscard]] bool reset_prefix_cache();

  /// plan() and apply(). False, nothing done, when no request is left. MisuseError when the scheduler plans no chunk
  /// although requests are left: an engine that makes no progress must not look busy.
  bool step();
  StepPlan plan() const;
  /// MisuseError, nothing changed, for an impossible plan. When the runner or the proposer fails, or returns logits
  /// from which no token can be drawn, its exception passes through, and no token of the step counts: the slots of all
  /// chunks are taken back. Preemptions and admissions of the plan stay. The step may be tried again, the request
  /// aborted.
  void apply(const StepPlan& plan);

  /// Ends a request at any moment. False, nothing done, when it has ended already: that can happen to anyone who
  /// aborts from outside. MisuseError for an id that was never given.
  bool abort(RequestId id);

  bool idle() const { return running_.empty() && waiting_.empty(); }
  std::size_t num_live() const { return running_.size() + waiting_.size(); }
  /// The request and its result; the reference holds until the next change.
  const Request& request(RequestId id) const;
  /// Its blocks; nothing once it has ended.
  const BlockTable* table(RequestId id) const;
  const BlockPool& pool() const { return pool_; }
  const PrefixCache& prefix_cache() const { return *cache_; }
  std::uint64_t now_ns() const { return now_ns_; }  ///< since the start: steps and waits

 private:
  /// An ended request keeps its result alone: its table, sampler and queue places are gone.
  struct Entry {
    std::unique_ptr<LiveRequest> live;
    Request result;
  };
  /// What a chunk gave.
  struct Outcome {
    Work work;
    /// The next token of each candidate, none where tokens are left to compute; of a round the tokens in order.
    std::vector<SampledToken> sampled;
    std::optional<Verdict> verdict;   // of a round
    std::vector<std::uint32_t> path;  // of a round: the accepted drafts, from 1 on; of a chain 1, 2, ...
    std::vector<float> hidden;        // from which the last of `sampled` was said; for proposers that want it
  };
  struct Computed {
    std::vector<Outcome> outcomes;  // [chunks]
    std::optional<std::uint64_t> simulated_ns;
  };
  /// What the model returned for one chunk: of its last logit_rows tokens.
  struct Rows {
    std::span<const float> logits;  // [rows][vocab]
    std::span<const float> hidden;  // [rows][hidden], or none
  };

  void check_possible(const RequestSpec& spec) const;
  void check_vocabulary(const std::vector<TokenId>& tokens, const char* what) const;
  SchedulerView view() const;
  LiveRequest& live(RequestId id);

  void preempt(RequestId id);
  std::optional<SwappedKv> swap_out(const LiveRequest& request);
  void admit(RequestId id);
  void swap_in(LiveRequest& request);
  void swap_in_all(const std::vector<RequestId>& admitted);
  void drop_swapped(LiveRequest& request);
  void append_slots(BlockTable& table, std::uint32_t tokens, std::vector<BlockCopy>& copies);
  void take_slots(const Chunk& chunk, std::span<const TokenId> tokens, std::uint32_t logit_rows,
                  std::vector<ScheduledSequence>& batch);
  Computed compute(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts);
  Computed forward(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts,
                   const std::vector<ScheduledSequence>& batch);
  std::vector<SampledToken> sample(const LiveRequest& request, std::span<const float> logits) const;
  SampledToken sampled_token(TokenId before, TokenId token, Sampler sampler) const;
  void announce_computed(const Chunk& chunk, const Draft& draft, const Work& work);
  void answer(LiveRequest& request, Outcome outcome);
  LiveRequest& add_fork(LiveRequest& parent, Sampler sampler);
  void time_step(std::uint64_t nanoseconds, bool simulated);
  std::optional<FinishReason> add_token(LiveRequest& request, SampledToken sampled);
  void end(LiveRequest& request, FinishReason reason);

  // Rounds of drafts: engine_speculation.cpp.
  std::vector<Draft> propose(const std::vector<Chunk>& chunks);
  void announce_draft(LiveRequest& request, const Draft& draft);
  Outcome judge(const LiveRequest& request, const Draft& draft, const Rows& rows) const;
  TreeVerdict verdict(Sampler& sampler, const Draft& draft, std::span<const float> logits) const;
  void move_paths(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts, const Computed& computed);
  void conclude_round(LiveRequest& request, const Draft& draft, Outcome outcome);
  void announce_verdict(const LiveRequest& request, const Outcome& outcome);
  void settle_draft(LiveRequest& request, std::span<const float> hidden);
  void forget_draft(LiveRequest& request);
  void announce_draft_cache(LiveRequest& request);

  void announce_name(TokenId token, std::string name);
  void retire(RequestId id);

  EngineConfig config_;
  ModelRunner& runner_;
  const Scheduler& scheduler_;
  const TokenText& token_text_;
  EventSink& sink_;
  BlockPool pool_;
  std::unique_ptr<PrefixCache> cache_;
  std::deque<Entry> entries_;          ///< by RequestId
  std::vector<LiveRequest*> running_;  ///< in the order of admission
  std::vector<LiveRequest*> waiting_;  ///< the head of the queue first
  std::vector<bool> named_;            ///< [vocab]: TokenNamed was announced
  std::uint64_t step_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint64_t swapped_bytes_ = 0;  ///< of the host's memory that are taken now
};

}  // namespace kvarium
