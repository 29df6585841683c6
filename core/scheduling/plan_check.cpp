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

}  // namespace

void check(const StepPlan& plan, const SchedulerView& view) {
  RequestsById running = by_id(view.running);
  RequestsById waiting = by_id(view.waiting);
  PlannedBlocks blocks(view.pool);
  for (const RequestId id : plan.preempt) {
    blocks.give_back(take(running, id, "is preempted, but does not run").table());
  }
  for (const RequestId id : plan.admit) {
    running.emplace(id, &take(waiting, id, "is admitted, but does not wait"));
  }
  if (running.size() > view.limits.max_running) {
    throw MisuseError(
        fmt::format("the plan is impossible: {} requests would run, {} may", running.size(), view.limits.max_running));
  }
  for (const Chunk& chunk : plan.chunks) {
    const LiveRequest& request = take(running, chunk.request, "computes twice, or without running");
    if (chunk.count == 0 || chunk.count > request.uncomputed_tokens()) {
      impossible(chunk.request, fmt::format("computes {} of {} tokens", chunk.count, request.uncomputed_tokens()));
    }
    const std::size_t needed = request.table().blocks_needed(chunk.count);
    if (!blocks.take(needed)) {
      impossible(chunk.request, fmt::format("needs {} blocks, but {} are free", needed, blocks.free()));
    }
  }
}

}  // namespace kvarium
