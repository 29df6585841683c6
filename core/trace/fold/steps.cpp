// What exists before the first step, what steps compute, and a lesson's words.

#include <algorithm>
#include <utility>

#include "core/trace/fold/folder.h"

namespace kvarium {

void Folder::operator()(const ModelDescribed& e) { world_.model = e.shape; }

void Folder::operator()(const PoolCreated& e) {
  if (e.block_size == 0) cannot_follow("a pool of block size 0");
  if (world_.block_size != 0 && e.block_size != world_.block_size) cannot_follow("a new pool of another block size");
  // All blocks may be free and yet named: a faulty engine may have released what others hold.
  const bool in_tables = std::any_of(world_.requests.begin(), world_.requests.end(),
                                     [](const auto& request) { return !request->table.empty(); });
  const bool in_tree =
      std::any_of(world_.radix.begin(), world_.radix.end(), [](const auto& node) { return !node->blocks.empty(); });
  if (in_tables || in_tree || world_.free_blocks.size() != world_.blocks.size()) {
    cannot_follow("a new pool while blocks of the old are held");
  }
  FreeQueue free(e.hand_out_order);
  world_.blocks.assign(e.hand_out_order.size(), {});
  world_.block_size = e.block_size;
  world_.free_blocks = std::move(free);
}

void Folder::operator()(const ArenaCreated& e) { world_.arena_slots = e.num_slots; }

void Folder::operator()(const SchedulerDescribed& e) {
  world_.scheduler = e.name;
  world_.serves_in_order = e.in_order;
}

void Folder::operator()(const TokenNamed& e) { world_.token_text.edit()[value(e.token)] = e.text; }

void Folder::operator()(const StepStarted& e) {
  if (e.step == 0 || e.step - 1 != world_.step) cannot_follow("steps must come one after another, from 1");
  world_.step = e.step;
  for (const RequestId id : world_.step_requests) {
    RequestState& request = edit(id);
    request.new_count = 0;
    request.read_count = 0;
    request.round.reset();
  }
  world_.step_requests.clear();
}

void Folder::operator()(const KvComputed& e) {
  const RequestState& before = look(e.request);
  const std::uint64_t end = std::uint64_t{e.first} + e.count;
  if (e.count == 0) cannot_follow("K and V of no position were computed");
  if (end > UINT32_MAX) cannot_follow("K and V were computed of a position beyond 4,294,967,295");
  if (e.kept && end > held_slots(world_, before)) cannot_follow("K and V are written where the request holds no slot");
  if (e.kept && e.first > before.computed_tokens) cannot_follow("K and V are written behind a gap");
  RequestState& request = edit_in_step(e.request);
  const bool goes_on =
      request.new_count > 0 && e.kept == request.new_kept && e.first == request.new_first + request.new_count;
  if (!goes_on) request.new_first = e.first;
  request.new_count = static_cast<std::uint32_t>(end - request.new_first);
  request.new_kept = e.kept;
  request.phase = e.phase;
  if (!e.kept) return;
  request.computed_tokens = static_cast<std::uint32_t>(end);
  if (!request.region) mark_written(request, e.first, end);
}

void Folder::operator()(const KvRead& e) {
  look(e.request);
  if (e.count == 0) return;
  RequestState& request = edit_in_step(e.request);
  request.read_count = e.count;
  request.last_read_step = world_.step;
  request.last_read_count = e.count;
}

void Folder::operator()(const TokenSampled& e) {
  if (e.position != look(e.request).tokens.size()) cannot_follow("the new token's position");
  must_stay_small(1);
  edit(e.request).tokens.push_back(e.token);
  ++world_.size;
  world_.sampled.push_back(e.request);
}

void Folder::operator()(const RolledBack& e) {
  if (e.kept_tokens > held_slots(world_, look(e.request))) cannot_follow("a rollback to more tokens than have a slot");
  // Slots are taken before they are written, so what is taken back may never have been computed.
  RequestState& request = edit(e.request);
  request.computed_tokens = std::min(request.computed_tokens, e.kept_tokens);
  request.swapped_tokens = std::min(request.swapped_tokens, e.kept_tokens);
}

void Folder::operator()(const WorkCounted& e) {
  look(e.request);
  // The sum over all requests is never smaller than the request's own.
  if (!adds_up(world_.work, e.work)) cannot_follow("the work does not fit in 64 bits");
  edit(e.request).work += e.work;
  world_.work += e.work;
}

void Folder::operator()(const StepTimed& e) {
  pass_time(e.nanoseconds, e.simulated);
  for (const RequestId id : world_.sampled) {
    RequestState& request = edit(id);
    if (!request.first_token_ns) request.first_token_ns = world_.nanoseconds;
    request.last_token_ns = world_.nanoseconds;
  }
  world_.sampled.clear();
  for (const RequestId id : world_.step_requests) {
    if (look(id).round) edit(id).round->open = false;
  }
}

void Folder::operator()(const TimePassed& e) { pass_time(e.nanoseconds, e.simulated); }

void Folder::operator()(const LessonStarted& e) { world_.lesson_title = e.title; }

void Folder::operator()(const Said& e) {
  world_.said = e;
  world_.asked.reset();
}

void Folder::operator()(const Asked& e) { world_.asked = e; }

}  // namespace kvarium
