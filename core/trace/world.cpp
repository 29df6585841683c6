#include "core/trace/world.h"

#include <algorithm>

#include "core/error.h"

namespace kvarium {
namespace {

[[noreturn]] void cannot_follow(const std::string& what) { throw MisuseError("this event cannot follow: " + what); }

/// The effect of each kind of event. Every check comes before the first change.
class Folder {
 public:
  explicit Folder(World& world) : world_(world) {}

  void operator()(const ModelDescribed& e) { world_.model = e.shape; }
  void operator()(const PoolCreated& e) {
    if (e.block_size == 0) cannot_follow("a pool of block size 0");
    FreeQueue free(e.hand_out_order);
    world_.block_size = e.block_size;
    world_.blocks.assign(e.hand_out_order.size(), {});
    world_.free_blocks = std::move(free);
  }
  void operator()(const ArenaCreated& e) { world_.arena_slots = e.num_slots; }
  void operator()(const TokenNamed& e) { world_.token_text.edit()[value(e.token)] = e.text; }

  void operator()(const RequestArrived& e) {
    if (index(e.request) != world_.requests.size()) cannot_follow("request ids must come in order");
    RequestState request;
    request.id = e.request;
    request.tokens = e.prompt;
    request.prompt_tokens = static_cast<std::uint32_t>(e.prompt.size());
    request.max_new_tokens = e.max_new_tokens;
    request.arrived_step = world_.step;
    world_.requests.emplace_back(std::move(request));
  }
  void operator()(const RequestAdmitted& e) {
    RequestState& request = edit(e.request);
    request.status = RequestStatus::running;
    request.admitted_step = world_.step;
  }
  void operator()(const RequestPreempted& e) {
    RequestState& request = edit(e.request);
    request.status = RequestStatus::preempted;
    ++request.preemptions;
    request.computed_tokens = 0;
  }
  void operator()(const RequestFinished& e) {
    RequestState& request = edit(e.request);
    request.status = RequestStatus::finished;
    request.finish_reason = e.reason;
    request.ended_step = world_.step;
  }
  void operator()(const RequestAborted& e) {
    RequestState& request = edit(e.request);
    request.status = RequestStatus::aborted;
    request.ended_step = world_.step;
  }

  void operator()(const BlockAllocated& e) {
    check_request(e.request);
    if (world_.free_blocks.empty() || world_.free_blocks.front() != e.block) {
      cannot_follow("block " + std::to_string(value(e.block)) + " is not at the head of the free queue");
    }
    world_.free_blocks.pop_front();
    block(e.block) = {.ref_count = 1, .allocated_step = world_.step};
    edit(e.request).table.push_back(e.block);
  }
  void operator()(const BlockShared& e) {
    check_request(e.request);
    BlockState& shared = block(e.block);
    if (shared.ref_count == 0 || shared.ref_count + 1 != e.ref_count) cannot_follow("the shared block's ref count");
    ++shared.ref_count;
    edit(e.request).table.push_back(e.block);
  }
  void operator()(const BlockReleased& e) {
    check_request(e.request);
    BlockState& released = block(e.block);
    const auto& table = world_.requests[index(e.request)]->table;
    if (table.empty() || table.back() != e.block) cannot_follow("the released block is not the table's last entry");
    if (released.ref_count != e.ref_count + 1) cannot_follow("the released block's ref count");
    --released.ref_count;
    if (released.ref_count == 0) world_.free_blocks.push_back(e.block);
    RequestState& request = edit(e.request);
    request.table.pop_back();
    const auto held = static_cast<std::uint64_t>(request.table.size()) * world_.block_size;
    if (request.computed_tokens > held) request.computed_tokens = static_cast<std::uint32_t>(held);
  }
  void operator()(const RegionReserved& e) {
    if (e.first_slot > world_.arena_slots || e.num_slots > world_.arena_slots - e.first_slot) {
      cannot_follow("the region lies outside the contiguous pool");
    }
    edit(e.request).region = Region{e.first_slot, e.num_slots};
  }
  void operator()(const RegionReleased& e) {
    RequestState& request = edit(e.request);
    request.region.reset();
    request.computed_tokens = 0;
  }

  void operator()(const StepStarted& e) {
    world_.step = e.step;
    for (auto& shared : world_.requests) {
      if (shared->new_count == 0 && shared->read_count == 0) continue;
      RequestState& request = shared.edit();
      request.new_count = 0;
      request.read_count = 0;
    }
  }
  void operator()(const KvComputed& e) {
    check_request(e.request);
    const std::uint64_t end = std::uint64_t{e.first} + e.count;
    const RequestState& before = *world_.requests[index(e.request)];
    if (e.kept && end > room(before)) cannot_follow("K and V are written where the request holds no slot");
    if (e.kept && e.first > before.computed_tokens) cannot_follow("K and V are written behind a gap");
    RequestState& request = edit(e.request);
    request.new_first = e.first;
    request.new_count = e.count;
    request.new_kept = e.kept;
    request.phase = e.phase;
    if (!e.kept) return;
    request.computed_tokens = static_cast<std::uint32_t>(end);
    mark_written(request, e.first, end);
  }
  void operator()(const KvRead& e) {
    RequestState& request = edit(e.request);
    request.read_count = e.count;
    for (std::size_t i = 0; i < request.table.size() && i * world_.block_size < e.count; ++i) {
      block(request.table[i]).read_step = world_.step;
    }
  }
  void operator()(const TokenSampled& e) {
    check_request(e.request);
    if (e.position != world_.requests[index(e.request)]->tokens.size()) cannot_follow("the new token's position");
    edit(e.request).tokens.push_back(e.token);
  }
  void operator()(const RolledBack& e) {
    check_request(e.request);
    const RequestState& before = *world_.requests[index(e.request)];
    if (e.kept_tokens > room(before)) cannot_follow("a rollback to more tokens than the request has slots for");
    // Slots are taken before they are written, so what is taken back may never have been computed.
    if (e.kept_tokens < before.computed_tokens) edit(e.request).computed_tokens = e.kept_tokens;
  }
  void operator()(const WorkCounted& e) {
    edit(e.request).work += e.work;
    world_.work += e.work;
  }
  void operator()(const StepTimed& e) {
    world_.nanoseconds += e.nanoseconds;
    world_.simulated_time = world_.simulated_time || e.simulated;
  }

  void operator()(const LessonStarted& e) { world_.lesson_title = e.title; }
  void operator()(const Said& e) {
    world_.said = e;
    world_.asked.reset();
  }
  void operator()(const Asked& e) { world_.asked = e; }

 private:
  void check_request(RequestId id) const {
    if (index(id) >= world_.requests.size()) cannot_follow("there is no request " + std::to_string(value(id)));
  }
  RequestState& edit(RequestId id) {
    check_request(id);
    return world_.requests[index(id)].edit();
  }
  BlockState& block(BlockId id) {
    if (index(id) >= world_.blocks.size()) cannot_follow("there is no block " + std::to_string(value(id)));
    return world_.blocks[index(id)];
  }
  std::uint64_t room(const RequestState& request) const {
    if (request.region) return request.region->num_slots;
    return static_cast<std::uint64_t>(request.table.size()) * world_.block_size;
  }
  void mark_written(const RequestState& request, std::uint32_t first, std::uint64_t end) {
    if (request.region) return;
    for (std::uint64_t i = first / world_.block_size; i * world_.block_size < end; ++i) {
      BlockState& state = block(request.table[i]);
      const std::uint64_t here = std::min<std::uint64_t>(end - i * world_.block_size, world_.block_size);
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
  const std::uint64_t start = static_cast<std::uint64_t>(i) * world.block_size;
  if (request.computed_tokens <= start) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(request.computed_tokens - start, world.block_size));
}

}  // namespace kvarium
