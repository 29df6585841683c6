#include "core/trace/world.h"

#include <algorithm>

#include "core/error.h"

namespace kvarium {
namespace {

[[noreturn]] void cannot_follow(const std::string& what) { throw MisuseError("this event cannot follow: " + what); }

bool adds_up(std::uint64_t sum, std::uint64_t more) { return more <= UINT64_MAX - sum; }

/// The effect of each kind of event. Every check comes before the first change.
class Folder {
 public:
  explicit Folder(World& world) : world_(world) {}

  // --- what exists before the first step

  void operator()(const ModelDescribed& e) { world_.model = e.shape; }
  void operator()(const PoolCreated& e) {
    if (e.block_size == 0) cannot_follow("a pool of block size 0");
    if (world_.free_blocks.size() != world_.blocks.size()) cannot_follow("a new pool while blocks of the old are held");
    FreeQueue free(e.hand_out_order);
    world_.blocks.assign(e.hand_out_order.size(), {});
    world_.block_size = e.block_size;
    world_.free_blocks = std::move(free);
  }
  void operator()(const ArenaCreated& e) { world_.arena_slots = e.num_slots; }
  void operator()(const TokenNamed& e) { world_.token_text.edit()[value(e.token)] = e.text; }

  // --- requests

  void operator()(const RequestArrived& e) {
    if (index(e.request) != world_.requests.size()) cannot_follow("request ids must come in order");
    if (e.prompt.size() > UINT32_MAX) cannot_follow("a prompt of more than 4,294,967,295 tokens");
    RequestState request;
    request.id = e.request;
    request.tokens = e.prompt;
    request.prompt_tokens = static_cast<std::uint32_t>(e.prompt.size());
    request.max_new_tokens = e.max_new_tokens;
    request.arrived_step = world_.step;
    world_.requests.emplace_back(std::move(request));
  }
  void operator()(const RequestAdmitted& e) {
    const RequestStatus status = look(e.request).status;
    if (status != RequestStatus::waiting && status != RequestStatus::preempted) {
      cannot_follow("request " + letter(e.request) + " does not wait, so it cannot be admitted");
    }
    RequestState& request = edit(e.request);
    request.status = RequestStatus::running;
    request.admitted_step = world_.step;
  }
  void operator()(const RequestPreempted& e) {
    must_run(e.request);
    RequestState& request = edit(e.request);
    request.status = RequestStatus::preempted;
    ++request.preemptions;
    request.computed_tokens = 0;
  }
  void operator()(const RequestFinished& e) {
    must_run(e.request);
    RequestState& request = edit(e.request);
    request.status = RequestStatus::finished;
    request.finish_reason = e.reason;
    request.ended_step = world_.step;
  }
  void operator()(const RequestAborted& e) {
    if (look(e.request).ended()) cannot_follow("request " + letter(e.request) + " has ended already");
    RequestState& request = edit(e.request);
    request.status = RequestStatus::aborted;
    request.ended_step = world_.step;
  }

  // --- blocks

  void operator()(const BlockAllocated& e) {
    look(e.request);
    BlockState& allocated = block(e.block);
    if (world_.free_blocks.empty() || world_.free_blocks.front() != e.block) {
      cannot_follow("block " + std::to_string(value(e.block)) + " is not at the head of the free queue");
    }
    edit(e.request).table.push_back(e.block);
    world_.free_blocks.pop_front();
    // A hash that nobody took back stays: violations() says that the block is found by what it no longer holds.
    allocated = {.ref_count = 1, .allocated_step = world_.step, .hash = allocated.hash};
  }
  void operator()(const BlockShared& e) {
    look(e.request);
    BlockState& shared = block(e.block);
    if (shared.ref_count == 0 || e.ref_count == 0 || shared.ref_count != e.ref_count - 1) {
      cannot_follow("the shared block's ref count");
    }
    edit(e.request).table.push_back(e.block);
    ++shared.ref_count;
  }
  void operator()(const BlockReused& e) {
    look(e.request);
    BlockState& reused = block(e.block);
    if (!world_.free_blocks.contains(e.block)) {
      cannot_follow("block " + std::to_string(value(e.block)) + " is not in the free queue");
    }
    edit(e.request).table.push_back(e.block);
    world_.free_blocks.remove(e.block);
    reused.ref_count = 1;
  }
  void operator()(const BlockReleased& e) {
    const std::vector<BlockId>& table = look(e.request).table;
    BlockState& released = block(e.block);
    if (table.empty() || table.back() != e.block) cannot_follow("the released block is not the table's last entry");
    if (released.ref_count == 0 || released.ref_count - 1 != e.ref_count) {
      cannot_follow("the released block's ref count");
    }
    if (e.ref_count == 0 && e.place == QueuePlace::behind_last_head && !world_.free_blocks.has_last_front()) {
      cannot_follow("no released block is at the head of the free queue");
    }
    RequestState& request = edit(e.request);
    request.table.pop_back();
    --released.ref_count;
    if (released.ref_count == 0) join_free_queue(e.block, e.place);
    request.computed_tokens = clipped(request.computed_tokens, held_slots(world_, request));
  }
  void operator()(const RegionReserved& e) {
    if (look(e.request).region) cannot_follow("request " + letter(e.request) + " has a region already");
    if (e.first_slot > world_.arena_slots || e.num_slots > world_.arena_slots - e.first_slot) {
      cannot_follow("the region lies outside the contiguous pool");
    }
    edit(e.request).region = Region{e.first_slot, e.num_slots};
  }
  void operator()(const RegionReleased& e) {
    if (!look(e.request).region) cannot_follow("request " + letter(e.request) + " has no region");
    RequestState& request = edit(e.request);
    request.region.reset();
    request.computed_tokens = clipped(request.computed_tokens, held_slots(world_, request));
  }

  // --- the prefix cache

  void operator()(const BlockCached& e) {
    const std::vector<BlockId>& table = look(e.request).table;
    BlockState& cached = block(e.block);
    if (e.logical >= table.size() || table[e.logical] != e.block) {
      cannot_follow("the cached block is not entry " + std::to_string(e.logical) + " of the request's table");
    }
    if (cached.hash) cannot_follow("block " + std::to_string(value(e.block)) + " has a hash already");
    cached.hash = e.hash;
  }
  void operator()(const BlockEvicted& e) {
    look(e.request);
    BlockState& evicted = block(e.block);
    if (evicted.hash != e.hash) cannot_follow("the evicted block's hash");
    evicted.hash.reset();
  }
  void operator()(const PrefixMatched& e) {
    const RequestState& before = look(e.request);
    if (e.hit_tokens > e.num_tokens || e.hit_tokens > held_slots(world_, before)) {
      cannot_follow("more tokens were found than have a slot");
    }
    PrefixCounts& counts = before.preemptions > 0 ? world_.resumed_prefix : world_.prefix;
    if (!adds_up(counts.queried_tokens, e.num_tokens)) cannot_follow("the tokens looked up do not fit in 64 bits");
    edit(e.request).computed_tokens = e.hit_tokens;
    counts.queried_tokens += e.num_tokens;
    counts.hit_tokens += e.hit_tokens;  // never more than those looked up
  }
  void operator()(const PrefixCacheReset&) {
    for (BlockState& state : world_.blocks) state.hash.reset();
  }

  // --- computing

  void operator()(const StepStarted& e) {
    if (e.step == 0 || e.step - 1 != world_.step) cannot_follow("steps must come one after another, from 1");
    world_.step = e.step;
    for (const RequestId id : world_.step_requests) {
      RequestState& request = edit(id);
      request.new_count = 0;
      request.read_count = 0;
    }
    world_.step_requests.clear();
  }
  void operator()(const KvComputed& e) {
    const RequestState& before = look(e.request);
    const std::uint64_t end = std::uint64_t{e.first} + e.count;
    if (e.count == 0) cannot_follow("K and V of no position were computed");
    if (end > UINT32_MAX) cannot_follow("K and V were computed of a position beyond 4,294,967,295");
    if (e.kept && end > held_slots(world_, before))
      cannot_follow("K and V are written where the request holds no slot");
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
  void operator()(const KvRead& e) {
    look(e.request);
    if (e.count == 0) return;
    RequestState& request = edit_in_step(e.request);
    request.read_count = e.count;
    request.last_read_step = world_.step;
    request.last_read_count = e.count;
  }
  void operator()(const TokenSampled& e) {
    if (e.position != look(e.request).tokens.size()) cannot_follow("the new token's position");
    edit(e.request).tokens.push_back(e.token);
  }
  void operator()(const RolledBack& e) {
    if (e.kept_tokens > held_slots(world_, look(e.request)))
      cannot_follow("a rollback to more tokens than have a slot");
    // Slots are taken before they are written, so what is taken back may never have been computed.
    RequestState& request = edit(e.request);
    request.computed_tokens = std::min(request.computed_tokens, e.kept_tokens);
  }
  void operator()(const WorkCounted& e) {
    look(e.request);
    const Work& sum = world_.work;  // never smaller than the request's own
    if (!adds_up(sum.kv_projections, e.work.kv_projections) || !adds_up(sum.score_products, e.work.score_products) ||
        !adds_up(sum.bytes_read, e.work.bytes_read) || !adds_up(sum.flops, e.work.flops)) {
      cannot_follow("the work does not fit in 64 bits");
    }
    edit(e.request).work += e.work;
    world_.work += e.work;
  }
  void operator()(const StepTimed& e) {
    if (!adds_up(world_.nanoseconds, e.nanoseconds)) cannot_follow("the time does not fit in 64 bits");
    world_.nanoseconds += e.nanoseconds;
    world_.simulated_time = world_.simulated_time || e.simulated;
  }

  // --- a lesson's words

  void operator()(const LessonStarted& e) { world_.lesson_title = e.title; }
  void operator()(const Said& e) {
    world_.said = e;
    world_.asked.reset();
  }
  void operator()(const Asked& e) { world_.asked = e; }

 private:
  static std::uint32_t clipped(std::uint32_t tokens, std::uint64_t slots) {
    return slots < tokens ? static_cast<std::uint32_t>(slots) : tokens;
  }

  const RequestState& look(RequestId id) const {
    if (index(id) >= world_.requests.size()) cannot_follow("there is no request " + std::to_string(value(id)));
    return *world_.requests[index(id)];
  }
  void must_run(RequestId id) const {
    if (look(id).status != RequestStatus::running) cannot_follow("request " + letter(id) + " does not run");
  }
  BlockState& block(BlockId id) {
    if (index(id) >= world_.blocks.size()) cannot_follow("there is no block " + std::to_string(value(id)));
    return world_.blocks[index(id)];
  }
  /// After look(id).
  RequestState& edit(RequestId id) { return world_.requests[index(id)].edit(); }
  /// After look(id), before new_count or read_count becomes more than 0: the next step resets what is listed here.
  RequestState& edit_in_step(RequestId id) {
    RequestState& request = edit(id);
    if (request.new_count == 0 && request.read_count == 0) world_.step_requests.push_back(id);
    return request;
  }
  void join_free_queue(BlockId id, QueuePlace place) {
    if (place == QueuePlace::tail) world_.free_blocks.push_back(id);
    if (place == QueuePlace::head) world_.free_blocks.push_front(id);
    if (place == QueuePlace::behind_last_head) world_.free_blocks.push_behind_last_front(id);
  }
  void mark_written(const RequestState& request, std::uint32_t first, std::uint64_t end) {
    for (std::size_t i = first / world_.block_size; std::uint64_t{i} * world_.block_size < end; ++i) {
      BlockState& state = world_.blocks[index(request.table[i])];
      const std::uint64_t here = std::min<std::uint64_t>(end - std::uint64_t{i} * world_.block_size, world_.block_size);
      state.written = std::max(state.written, static_cast<std::uint32_t>(here));
      state.written_step = world_.step;
    }
  }

  World& world_;
};

}  // namespace

const RequestState& World::request(RequestId id) const {
  if (index(id) >= requests.size()) throw MisuseError("there is no request " + std::to_string(value(id)));
  return *requests[index(id)];
}

std::string World::text_of(TokenId token) const {
  const auto found = token_text->find(value(token));
  return found == token_text->end() ? "#" + std::to_string(value(token)) : found->second;
}

void fold(World& world, const Event& event) {
  std::visit(Folder(world), event);
  ++world.events;
}

std::uint32_t filled_slots(const World& world, const RequestState& request, std::size_t i) {
  const std::uint64_t start = std::uint64_t{i} * world.block_size;
  if (request.computed_tokens <= start) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(request.computed_tokens - start, world.block_size));
}

std::uint64_t held_slots(const World& world, const RequestState& request) {
  if (request.region) return request.region->num_slots;
  return std::uint64_t{request.table.size()} * world.block_size;
}

std::vector<std::uint64_t> read_steps(const World& world) {
  std::vector<std::uint64_t> steps(world.blocks.size(), 0);
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      if (std::uint64_t{i} * world.block_size >= request->last_read_count) break;
      std::uint64_t& step = steps[index(request->table[i])];
      step = std::max(step, request->last_read_step);
    }
  }
  return steps;
}

}  // namespace kvarium
