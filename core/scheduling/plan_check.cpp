#include "core/scheduling/plan_check.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "core/error.h"
#include "core/scheduling/planned_blocks.h"

namespace kvarium {
namespace {

using RequestsById = std::unordered_map<RequestId, const LiveRequest*>;

[[noreturn]] void impossible(RequestId request, std::string_view what) {
  throw MisuseError(fmt::format("the plan is impossible: request {} {}", letter(request), what));
}

RequestsById by_id(std::span<const LiveRequest* const> requests) {
  RequestsById found;
  for (const LiveRequest* request : requests) found.emplace(request->id(), request);
  return found;
}

// Removes and returns the request, so that it cannot be taken a second time.
const LiveRequest& take(RequestsById& requests, RequestId id, std::string_view otherwise) {
  const auto found = requests.find(id);
  if (found == requests.end()) impossible(id, otherwise);
  const LiveRequest& request = *found->second;
  requests.erase(found);
  return request;
}

// Those that are admitted stand near the head of the queue, so that no table of all that wait is needed.
const LiveRequest& find_waiting(const SchedulerView& view, RequestId id) {
  for (const LiveRequest* request : view.waiting) {
    if (request->id() == id) return *request;
  }
  impossible(id, "is admitted, but does not wait");
}

}  // namespace

void check(const StepPlan& plan, const SchedulerView& view) {
  RequestsById running = by_id(view.running);
  PlannedBlocks blocks(view.pool, view.cache);
  for (const RequestId id : plan.preempt) {
    blocks.give_back(take(running, id, "is preempted, but does not run").table());
  }
  std::unordered_map<RequestId, PrefixHit> hits;
  for (const RequestId id : plan.admit) {
    const LiveRequest& request = find_waiting(view, id);
    if (!hits.emplace(id, request.look_up()).second) impossible(id, "is admitted twice");
    running.emplace(id, &request);
  }
  std::size_t width = 0;
  for (const auto& [id, request] : running) width += request->width();
  if (width > view.limits.max_running) {
    throw MisuseError(
        fmt::format("the plan is impossible: {} requests would run, {} may", width, view.limits.max_running));
  }
  for (const Chunk& chunk : plan.chunks) {
    const LiveRequest& request = take(running, chunk.request, "computes twice, or without running");
    const auto hit = hits.find(chunk.request);
    const std::uint32_t swapped = request.swapped() != nullptr ? request.swapped()->tokens : 0;
    const std::uint32_t there = hit == hits.end() ? 0 : hit->second.num_tokens + swapped;
    const std::uint32_t most = request.uncomputed_tokens() - there;
    if (chunk.count == 0 || chunk.count > most) {
      impossible(chunk.request, fmt::format("computes {} of {} tokens", chunk.count, most));
    }
    if (chunk.drafts > (hit == hits.end() ? request.drafts_wanted() : 0)) {
      impossible(chunk.request, fmt::format("verifies {} drafts, more than it wants", chunk.drafts));
    }
    const std::uint32_t tokens = chunk.count + chunk.drafts;
    const bool fits =
        hit == hits.end() ? blocks.take(request.table(), tokens) : blocks.take(hit->second, swapped + tokens);
    if (!fits) {
      impossible(chunk.request, fmt::format("needs more blocks for {} tokens than the {} that are available", tokens,
                                            blocks.available()));
    }
  }
  for (const RequestId id : plan.admit) {
    if (running.count(id) > 0) impossible(id, "is admitted and computes nothing, so its blocks were not counted");
  }
}

}  // namespace kvarium
