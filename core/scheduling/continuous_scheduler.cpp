#include "core/scheduling/continuous_scheduler.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/scheduling/cache_aware_order.h"
#include "core/scheduling/planned_blocks.h"

namespace kvarium {
namespace {

bool more_important(const LiveRequest* a, const LiveRequest* b) {
  const std::int32_t pa = a->request().priority, pb = b->request().priority;
  return pa != pb ? pa > pb : a->id() < b->id();
}

/// One step in the making.
class Planner {
 public:
  Planner(const SchedulerView& view, const ContinuousOptions& options)
      : view_(view),
        options_(options),
        running_(view.running.begin(), view.running.end()),
        width_(total_width(view.running)),
        blocks_(view.pool, view.cache) {}

  StepPlan run() {
    for (place_ = 0; place_ < running_.size(); ++place_) continue_running();
    if (plan_.preempt.empty()) {
      admit_waiting();
      add_drafts();
    }
    return std::move(plan_);
  }

 private:
  /// Tokens that this step may still compute.
  std::uint64_t left() const {
    return view_.limits.token_budget - std::min<std::uint64_t>(planned_, view_.limits.token_budget);
  }
  /// How many of `tokens` this step may compute; 0: none.
  std::uint32_t allowed(std::uint32_t tokens) const {
    if (!options_.chunked_prefill) return tokens <= left() || plan_.chunks.empty() ? tokens : 0;
    const std::uint32_t largest = options_.largest_chunk == 0 ? UINT32_MAX : options_.largest_chunk;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>({tokens, left(), largest}));
  }
  void compute(const LiveRequest& request, std::uint32_t tokens) {
    plan_.chunks.push_back({request.id(), tokens});
    planned_ += tokens;
  }

  void continue_running() {
    const LiveRequest& request = *running_[place_];
    const std::uint32_t tokens = allowed(request.uncomputed_tokens());
    if (tokens == 0) return;
    while (!blocks_.take(request.table(), tokens)) {
      const bool was_itself = victim() == place_;
      preempt(victim());
      if (was_itself) {
        --place_;  // whoever stood behind it is next; the loop adds one again
        return;
      }
    }
    compute(request, tokens);
  }

  std::size_t victim() const {
    if (options_.order != WaitingOrder::priority) return running_.size() - 1;
    const auto least = std::max_element(running_.begin(), running_.end(), more_important);
    return static_cast<std::size_t>(least - running_.begin());
  }

  /// Also a request that has its chunk already: then its tokens go back to the budget.
  void preempt(std::size_t place) {
    const LiveRequest& request = *running_[place];
    const auto has_id = [&request](const Chunk& chunk) { return chunk.request == request.id(); };
    const auto chunk = std::find_if(plan_.chunks.begin(), plan_.chunks.end(), has_id);
    if (chunk != plan_.chunks.end()) {
      planned_ -= chunk->count;
      plan_.chunks.erase(chunk);
    }
    blocks_.give_back(request.table());
    plan_.preempt.push_back(request.id());
    width_ -= request.width();
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
    if (place < place_) --place_;
  }

  std::vector<const LiveRequest*> waiting() const {
    std::vector<const LiveRequest*> queue(view_.waiting.begin(), view_.waiting.end());
    if (options_.order == WaitingOrder::priority) std::stable_sort(queue.begin(), queue.end(), more_important);
    if (options_.order == WaitingOrder::longest_prefix) return longest_prefix_first(queue);
    if (options_.order == WaitingOrder::depth_first) return depth_first(queue);
    return queue;
  }

  void admit_waiting() {
    for (const LiveRequest* request : waiting()) {
      const PrefixHit hit = request->look_up();
      const std::uint32_t held = request->swapped() != nullptr ? request->swapped()->tokens : hit.num_tokens;
      const std::uint32_t tokens = allowed(request->uncomputed_tokens() - held);
      if (tokens == 0 || width_ + request->width() > view_.limits.max_running) return;
      if (!blocks_.take(hit, held - hit.num_tokens + tokens)) return;
      width_ += request->width();
      plan_.admit.push_back(request->id());
      compute(*request, tokens);
    }
  }

  /// Guesses get what budget and blocks are left over: they preempt nobody and keep nobody waiting.
  void add_drafts() {
    for (Chunk& chunk : plan_.chunks) {
      const auto has_id = [&chunk](const LiveRequest* request) { return request->id() == chunk.request; };
      const auto request = std::find_if(running_.begin(), running_.end(), has_id);
      if (request == running_.end()) continue;  // just admitted
      chunk.drafts = static_cast<std::uint32_t>(std::min<std::uint64_t>((*request)->drafts_wanted(), left()));
      while (chunk.drafts > 0 && !blocks_.take_drafts((*request)->table(), chunk.count, chunk.drafts)) --chunk.drafts;
      planned_ += chunk.drafts;
    }
  }

  const SchedulerView& view_;
  const ContinuousOptions& options_;
  std::vector<const LiveRequest*> running_;  ///< without the preempted ones
  std::size_t place_ = 0;                    ///< in running_: who is served now
  std::size_t width_;                        ///< requests that run, forks to come included
  PlannedBlocks blocks_;
  std::uint64_t planned_ = 0;  ///< tokens
  StepPlan plan_;
};

}  // namespace

std::string ContinuousScheduler::name() const {
  std::string name = "continuous batching";
  if (options_.chunked_prefill) name += ", chunked prefill";
  if (options_.order == WaitingOrder::priority) name += ", by priority";
  if (options_.order == WaitingOrder::longest_prefix) name += ", longest cached prefix first";
  if (options_.order == WaitingOrder::depth_first) name += ", fullest branch of cached prefixes first";
  return name;
}

StepPlan ContinuousScheduler::plan(const SchedulerView& view) const { return Planner(view, options_).run(); }

}  // namespace kvarium
