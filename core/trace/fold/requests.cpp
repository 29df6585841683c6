// Requests come, run, wait and end.

#include <algorithm>
#include <utility>

#include "core/trace/fold/folder.h"

namespace kvarium {

void Folder::operator()(const RequestArrived& e) {
  if (index(e.request) != world_.requests.size()) cannot_follow("request ids must come in order");
  must_stay_small(e.prompt.size());
  RequestState request;
  request.id = e.request;
  request.tokens = e.prompt;
  request.prompt_tokens = static_cast<std::uint32_t>(e.prompt.size());
  request.max_new_tokens = e.max_new_tokens;
  request.scope = e.scope;
  request.priority = e.priority;
  request.arrived_step = world_.step;
  request.arrived_ns = world_.nanoseconds;
  world_.size += e.prompt.size();
  world_.requests.emplace_back(std::move(request));
}

void Folder::operator()(const RequestForked& e) {
  if (index(e.request) != world_.requests.size()) cannot_follow("request ids must come in order");
  must_run(e.parent);
  const RequestState& parent = look(e.parent);
  if (parent.region) cannot_follow("request " + letter(e.parent) + " has a region, which nobody can share");
  const std::uint64_t copied = parent.tokens.size() + parent.table.size() + parent.scope.size();
  must_stay_small(copied);
  RequestState request;
  request.id = e.request;
  request.status = RequestStatus::running;
  request.tokens = parent.tokens;
  request.prompt_tokens = parent.prompt_tokens;
  request.max_new_tokens = parent.max_new_tokens;
  request.scope = parent.scope;
  request.priority = parent.priority;
  request.parent = e.parent;
  request.computed_tokens = parent.computed_tokens;
  request.table = parent.table;
  request.arrived_step = request.admitted_step = world_.step;
  request.arrived_ns = parent.arrived_ns;
  request.admitted_ns = parent.admitted_ns;
  request.first_token_ns = parent.first_token_ns;
  request.last_token_ns = parent.last_token_ns;
  for (const BlockId held : request.table) ++world_.blocks[index(held)].ref_count;
  world_.size += copied;
  world_.requests.emplace_back(std::move(request));
}

void Folder::operator()(const RequestAdmitted& e) {
  const RequestStatus status = look(e.request).status;
  if (status != RequestStatus::waiting && status != RequestStatus::preempted) {
    cannot_follow("request " + letter(e.request) + " does not wait, so it cannot be admitted");
  }
  RequestState& request = edit(e.request);
  request.status = RequestStatus::running;
  request.admitted_step = world_.step;
  if (!request.admitted_ns) request.admitted_ns = world_.nanoseconds;
}

void Folder::operator()(const RequestPreempted& e) {
  must_run(e.request);
  RequestState& request = edit(e.request);
  request.status = RequestStatus::preempted;
  ++request.preemptions;
  request.computed_tokens = 0;
}

void Folder::operator()(const KvSwappedOut& e) {
  must_run(e.request);
  if (e.tokens > look(e.request).computed_tokens) cannot_follow("more tokens leave for the host than are computed");
  count_swap(e.bytes);
  edit(e.request).swapped_tokens = e.tokens;
}

void Folder::operator()(const KvSwappedIn& e) {
  const RequestState& before = look(e.request);
  if (e.tokens != before.swapped_tokens) cannot_follow("other tokens come back from the host than left");
  if (e.tokens > held_slots(world_, before)) cannot_follow("more tokens come back from the host than have a slot");
  count_swap(e.bytes);
  RequestState& request = edit(e.request);
  request.swapped_tokens = 0;
  request.computed_tokens = e.tokens;
  if (e.tokens > 0 && !request.region) mark_written(request, 0, e.tokens);
}

void Folder::operator()(const RequestFinished& e) {
  must_run(e.request);
  RequestState& request = edit(e.request);
  request.status = RequestStatus::finished;
  request.finish_reason = e.reason;
  request.ended_step = world_.step;
}

void Folder::operator()(const RequestAborted& e) {
  if (look(e.request).ended()) cannot_follow("request " + letter(e.request) + " has ended already");
  RequestState& request = edit(e.request);
  request.status = RequestStatus::aborted;
  request.ended_step = world_.step;
}

}  // namespace kvarium
