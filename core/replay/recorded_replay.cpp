#include "core/replay/recorded_replay.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/blocks/block_pool.h"
#include "core/error.h"
#include "core/replay/replay_parts.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

std::size_t longest_prompt(const RequestTrace& trace) {
  std::size_t longest = 0;
  for (const TracedRequest& request : trace.requests) longest = std::max(longest, request.blocks.size());
  return longest;
}

/// The cache, and room for the longest prompt beside it.
std::uint32_t blocks_needed(const RequestTrace& trace, std::uint64_t capacity) {
  const std::uint64_t blocks = std::min(capacity, trace.distinct_blocks) + longest_prompt(trace);
  if (blocks > UINT32_MAX || trace.distinct_blocks > INT32_MAX) {
    throw InputError(tr_format("a recording of {} blocks: 32 bits do not number them", blocks));
  }
  return std::max(static_cast<std::uint32_t>(blocks), 1U);
}

ModelShape no_model(const RequestTrace& trace) {
  ModelShape shape;
  shape.name = trace.made_up ? tr_format("none: each token stands for {} tokens of an invented trace", trace.block_size)
                             : tr_format("none: each token stands for {} tokens of a trace", trace.block_size);
  return shape;
}

class Recorder {
 public:
  Recorder(const RequestTrace& trace, EvictionPolicy& policy, std::uint64_t capacity, EventSink& sink)
      : trace_(trace),
        policy_(policy),
        capacity_(capacity),
        sink_(announced(trace, sink)),
        pool_(1, ascending_order(blocks_needed(trace, capacity)), sink),
        place_of_(trace.distinct_blocks) {
    const std::string_view what = trace.made_up ? tr("This is traffic that a program invented; no server ever saw it.")
                                                : tr("This is a trace of a production server, replayed.");
    sink_.emit(Said{tr_format("{} One token here stands for a whole block of {} tokens, and its number is the block's "
                              "id. No model runs.",
                              what, trace.block_size),
                    {}});
  }

  /// Returns the hit blocks.
  std::uint64_t serve(const TracedRequest& request) {
    arrive(request);
    const std::size_t hits = take_blocks(request);
    compute(request, hits);
    pool_.release_from(id_, table_, 0);
    result_.evictions += use_and_evict(request);
    sink_.emit(RequestFinished{id_, FinishReason::max_tokens});
    count(request, hits);
    id_ = RequestId{value(id_) + 1};
    return hits;
  }

  ReplayResult result() const {
    ReplayResult result = result_;
    result.cached_blocks = policy_.size();
    return result;
  }

 private:
  /// The model stands before the pool, as in an engine's trace.
  static EventSink& announced(const RequestTrace& trace, EventSink& sink) {
    sink.emit(ModelDescribed{no_model(trace)});
    return sink;
  }

  void arrive(const TracedRequest& request) {
    const std::uint64_t now = arrival_ns(request);
    if (now > now_ns_) sink_.emit(TimePassed{now - now_ns_, true});
    now_ns_ = std::max(now_ns_, now);
    std::vector<TokenId> prompt;
    prompt.reserve(request.blocks.size());
    for (const BlockId block : request.blocks) prompt.push_back(TokenId{static_cast<std::int32_t>(value(block))});
    sink_.emit(RequestArrived{id_, std::move(prompt), 0});
    sink_.emit(StepStarted{std::uint64_t{value(id_)} + 1});
    sink_.emit(RequestAdmitted{id_});
  }

  /// Fills the table; returns the hits, which are its leading blocks.
  std::size_t take_blocks(const TracedRequest& request) {
    std::size_t hits = 0;
    for (; hits < request.blocks.size() && policy_.contains(request.blocks[hits]); ++hits) reuse(request.blocks[hits]);
    const auto tokens = static_cast<std::uint32_t>(request.blocks.size());
    sink_.emit(PrefixMatched{id_, tokens, static_cast<std::uint32_t>(hits)});
    for (std::size_t i = hits; i < request.blocks.size(); ++i) {
      if (policy_.contains(request.blocks[i])) {
        reuse(request.blocks[i]);
      } else {
        table_.push_back(pool_.allocate(id_).value());
      }
    }
    return hits;
  }

  void reuse(BlockId content) {
    const BlockId block = place_of_[index(content)];
    pool_.touch(id_, block);
    table_.push_back(block);
  }

  void compute(const TracedRequest& request, std::size_t hits) {
    const auto first = static_cast<std::uint32_t>(hits), end = static_cast<std::uint32_t>(table_.size());
    if (first < end) sink_.emit(KvComputed{id_, first, end - first, Phase::prefill, true});
    if (end > 0) sink_.emit(KvRead{id_, end});
    for (std::uint32_t i = first; i < end; ++i) {
      const BlockId content = request.blocks[i];
      if (policy_.contains(content)) continue;
      place_of_[index(content)] = table_[i];
      sink_.emit(BlockCached{id_, table_[i], i, hash_of(content)});
    }
  }

  /// As replay(): all blocks of the prompt are used, tail first, and then the victims go. Returns how many.
  std::uint64_t use_and_evict(const TracedRequest& request) {
    use_tail_first(request, policy_);
    std::uint64_t evicted = 0;
    for (; policy_.size() > capacity_; ++evicted) {
      const BlockId content = policy_.victim().value();
      policy_.erase(content);
      const BlockId block = place_of_[index(content)];
      pool_.bring_to_head(block);
      sink_.emit(BlockEvicted{id_, block, hash_of(content)});
    }
    return evicted;
  }

  static BlockHash hash_of(BlockId content) { return {0, value(content)}; }

  void count(const TracedRequest& request, std::size_t hits) {
    ++result_.requests;
    result_.referenced_blocks += request.blocks.size();
    result_.hit_blocks += hits;
    result_.input_tokens += request.input_tokens;
    result_.hit_tokens += tokens_of(request, hits, trace_.block_size);
  }

  const RequestTrace& trace_;
  EvictionPolicy& policy_;
  std::uint64_t capacity_;
  EventSink& sink_;
  BlockPool pool_;
  std::vector<BlockId> place_of_;  ///< [distinct_blocks]: where a cached block of the trace lies in the pool
  std::vector<BlockId> table_;     ///< of the request at hand
  RequestId id_{};
  std::uint64_t now_ns_ = 0;
  ReplayResult result_;
};

}  // namespace

std::optional<ReplayResult> record_replay(const RequestTrace& trace, EvictionPolicy& policy, std::uint64_t capacity,
                                          EventSink& sink, const OnProgress& on_progress, const CancelToken& cancel,
                                          const std::function<void(std::uint64_t)>& on_hits) {
  check_replay(trace, policy, capacity);
  Recorder recorder(trace, policy, capacity, sink);
  for (const TracedRequest& request : trace.requests) {
    if (cancel.cancelled()) return std::nullopt;
    const std::uint64_t hits = recorder.serve(request);
    if (on_hits) on_hits(hits);
    tell_progress(on_progress, recorder.result().requests, trace.requests.size());
  }
  return recorder.result();
}

}  // namespace kvarium
