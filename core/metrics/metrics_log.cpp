#include "core/metrics/metrics_log.h"

#include <algorithm>
#include <map>
#include <variant>

namespace kvarium {
namespace {

constexpr std::uint64_t kOpen = UINT64_MAX;

/// Blocks that only the radix tree holds are free for whoever needs room. Walks over the pool where there is a tree.
std::uint64_t kept_by_tree_alone(const World& world) {
  if (world.radix.empty()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(world.blocks.begin(), world.blocks.end(),
                    [](const BlockState& block) { return block.in_tree && block.ref_count == 1; }));
}

/// Slots without valid K and V in what the requests hold. Only blocks at the end of a table have any; candidates of one
/// prompt may share such a block, which counts once.
std::uint64_t empty_slots(const World& world, const std::vector<RequestId>& running) {
  std::map<BlockId, std::uint32_t> filled;
  std::uint64_t empty = 0;
  for (const RequestId id : running) {
    const RequestState& request = world.request(id);
    if (request.region) empty += request.region->num_slots - request.computed_tokens;
    if (world.block_size == 0) continue;
    for (std::size_t i = request.computed_tokens / world.block_size; i < request.table.size(); ++i) {
      std::uint32_t& most = filled[request.table[i]];
      most = std::max(most, filled_slots(world, request, i));
    }
  }
  for (const auto& [block, slots] : filled) empty += world.block_size - slots;
  return empty;
}

/// Sets what a World alone says of memory.
void measure_memory(StepMetrics& metrics, const World& world, const std::vector<RequestId>& running) {
  metrics.step = world.step;
  metrics.nanoseconds = world.nanoseconds;
  metrics.simulated = world.simulated_time;
  metrics.blocks = world.blocks.size();
  metrics.blocks_in_use = world.blocks.size() - world.free_blocks.size() - kept_by_tree_alone(world);
  metrics.slots = metrics.blocks * world.block_size + world.arena_slots;
  metrics.held_slots = metrics.blocks_in_use * world.block_size;
  for (const RequestId id : running) {
    if (const auto& region = world.request(id).region) metrics.held_slots += region->num_slots;
  }
  metrics.empty_slots = empty_slots(world, running);
  metrics.prefix = world.prefix;
  metrics.resumed_prefix = world.resumed_prefix;
  metrics.evicted_blocks = world.evicted_blocks;
  metrics.copies = world.copies;
  metrics.swapped_bytes = world.swapped_bytes;
}

}  // namespace

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void MetricsLog::follow(const Trace& trace) {
  while (world_.events < trace.size()) add(trace[world_.events]);
  close_step();
}

const StepMetrics& MetricsLog::at(std::uint64_t step) const {
  return steps_[static_cast<std::size_t>(std::min<std::uint64_t>(step, steps_.size() - 1))];
}

Waited MetricsLog::waited(RequestId request, const World& now) const {
  Waited sum;
  if (index(request) >= requests_.size()) return sum;
  for (const Wait& wait : waits(request)) {
    const std::uint64_t end_step = std::min(wait.end_step, now.step + 1);
    const std::uint64_t end_ns = std::min(wait.end_ns, now.nanoseconds);
    if (end_step > wait.first_step) sum.steps += end_step - wait.first_step;
    if (end_ns > wait.first_ns) sum.nanoseconds += end_ns - wait.first_ns;
  }
  return sum;
}

std::optional<std::uint64_t> MetricsLog::first_admitted(RequestId request) const {
  const std::vector<Wait>& all = waits(request);
  if (all.empty() || all.front().end_step == kOpen) return std::nullopt;
  return all.front().end_step;
}

std::vector<double> MetricsLog::token_gaps_ns(std::uint64_t step) const {
  std::vector<double> gaps;
  for (const Gap& gap : gaps_) {
    if (gap.step > step) break;
    gaps.push_back(static_cast<double>(gap.nanoseconds));
  }
  return gaps;
}

// --- event by event

void MetricsLog::begin_wait(RequestId request, std::uint64_t first_step) {
  requests_[index(request)].waits.push_back({first_step, kOpen, world_.nanoseconds, kOpen});
}

void MetricsLog::end_wait(RequestId request, std::uint64_t end_step) {
  Wait& wait = requests_[index(request)].waits.back();
  wait.end_step = std::max(end_step, wait.first_step);
  wait.end_ns = world_.nanoseconds;
}

void MetricsLog::stop_running(RequestId request) {
  requests_[index(request)].running = false;
  running_.erase(std::remove(running_.begin(), running_.end(), request), running_.end());
}

// Before the event is folded: then the World still knows when each request got its token before.
void MetricsLog::sample_gaps(const StepTimed& timed) {
  for (const RequestId id : world_.sampled) {
    const RequestState& request = world_.request(id);
    if (!request.first_token_ns) continue;
    gaps_.push_back({world_.step, world_.nanoseconds + timed.nanoseconds - request.last_token_ns});
  }
}

void MetricsLog::add(const Event& event) {
  if (std::holds_alternative<StepStarted>(event)) close_step();
  if (const auto* timed = std::get_if<StepTimed>(&event)) sample_gaps(*timed);
  fold(world_, event);
  if (const auto* arrived = std::get_if<RequestArrived>(&event)) {
    requests_.emplace_back();
    ++now_.waiting;
    begin_wait(arrived->request, world_.step + 1);
  } else if (const auto* forked = std::get_if<RequestForked>(&event)) {
    requests_.push_back({{}, true});
    running_.push_back(forked->request);
    ++now_.running;
  } else if (const auto* admitted = std::get_if<RequestAdmitted>(&event)) {
    --(world_.request(admitted->request).preemptions > 0 ? now_.preempted : now_.waiting);
    requests_[index(admitted->request)].running = true;
    running_.push_back(admitted->request);
    ++now_.running;
    end_wait(admitted->request, world_.step);
  } else if (const auto* preempted = std::get_if<RequestPreempted>(&event)) {
    stop_running(preempted->request);
    --now_.running;
    ++now_.preempted;
    ++now_.preemptions;
    begin_wait(preempted->request, world_.step);
  } else if (const auto* finished = std::get_if<RequestFinished>(&event)) {
    stop_running(finished->request);
    --now_.running;
    ++now_.finished;
  } else if (const auto* aborted = std::get_if<RequestAborted>(&event)) {
    if (requests_[index(aborted->request)].running) {
      stop_running(aborted->request);
      --now_.running;
    } else {
      --(world_.request(aborted->request).preemptions > 0 ? now_.preempted : now_.waiting);
      end_wait(aborted->request, world_.step + 1);
    }
    ++now_.aborted;
  } else if (const auto* computed = std::get_if<KvComputed>(&event)) {
    now_.computed_tokens += computed->count;
  } else if (std::holds_alternative<TokenSampled>(event)) {
    ++now_.sampled_tokens;
  }
}

void MetricsLog::close_step() {
  StepMetrics metrics = now_;
  measure_memory(metrics, world_, running_);
  if (steps_.size() == world_.step + 1)
    steps_.back() = metrics;
  else
    steps_.push_back(metrics);
}

StepMetrics metrics_of(const Trace& trace, const World& world, const MetricsLog& log) {
  StepMetrics metrics;
  std::vector<RequestId> running;
  for (const auto& request : world.requests) {
    if (request->status == RequestStatus::waiting) ++metrics.waiting;
    if (request->status == RequestStatus::preempted) ++metrics.preempted;
    if (request->status == RequestStatus::finished) ++metrics.finished;
    if (request->status == RequestStatus::aborted) ++metrics.aborted;
    if (request->status == RequestStatus::running) running.push_back(request->id);
    metrics.preemptions += request->preemptions;
  }
  metrics.running = running.size();
  if (world.step > 0) {
    metrics.computed_tokens = log.at(world.step - 1).computed_tokens;
    metrics.sampled_tokens = log.at(world.step - 1).sampled_tokens;
  }
  for (std::size_t i = world.step == 0 ? 0 : trace.start_of_step(world.step); i < world.events; ++i) {
    if (const auto* computed = std::get_if<KvComputed>(&trace[i])) metrics.computed_tokens += computed->count;
    if (std::holds_alternative<TokenSampled>(trace[i])) ++metrics.sampled_tokens;
  }
  measure_memory(metrics, world, running);
  return metrics;
}

}  // namespace kvarium
