#pragma once
// The effect of each kind of event on the World. Not for others: they call fold().

#include <cstdint>
#include <string>

#include "core/trace/world.h"

namespace kvarium {

[[noreturn]] void cannot_follow(const std::string& what);
inline bool adds_up(std::uint64_t sum, std::uint64_t more) { return more <= UINT64_MAX - sum; }
inline bool adds_up(const Work& sum, const Work& more) {
  return adds_up(sum.kv_projections, more.kv_projections) && adds_up(sum.score_products, more.score_products) &&
         adds_up(sum.bytes_read, more.bytes_read) && adds_up(sum.flops, more.flops);
}

/// Every check comes before the first change.
class Folder {
 public:
  explicit Folder(World& world) : world_(world) {}

  // --- what exists before the first step

  void operator()(const ModelDescribed& e);
  void operator()(const PoolCreated& e);
  void operator()(const ArenaCreated& e);
  void operator()(const SchedulerDescribed& e);
  void operator()(const TokenNamed& e);

  // --- requests

  void operator()(const RequestArrived& e);
  void operator()(const RequestForked& e);
  void operator()(const RequestAdmitted& e);
  void operator()(const RequestPreempted& e);
  void operator()(const KvSwappedOut& e);
  void operator()(const KvSwappedIn& e);
  void operator()(const RequestFinished& e);
  void operator()(const RequestAborted& e);

  // --- blocks

  void operator()(const BlockAllocated& e);
  void operator()(const BlockCopied& e);
  void operator()(const BlockReplaced& e);
  void operator()(const BlockShared& e);
  void operator()(const BlockReused& e);
  void operator()(const BlockReleased& e);
  void operator()(const RegionReserved& e);
  void operator()(const RegionReleased& e);

  // --- the prefix cache

  void operator()(const BlockCached& e);
  void operator()(const BlockEvicted& e);
  void operator()(const BlockExpired& e);
  void operator()(const PrefixMatched& e);
  void operator()(const PrefixCacheReset& e);

  // --- the radix tree

  void operator()(const RadixTreeCreated& e);
  void operator()(const RadixNodeInserted& e);
  void operator()(const RadixNodeSplit& e);
  void operator()(const RadixNodeRemoved& e);
  void operator()(const RadixPathUsed& e);
  void operator()(const RadixPathLocked& e);
  void operator()(const RadixPathUnlocked& e);

  // --- speculation

  void operator()(const SpeculationDescribed& e);
  void operator()(const DraftProposed& e);
  void operator()(const DraftKvComputed& e);
  void operator()(const DraftKvRolledBack& e);
  void operator()(const DraftVerified& e);
  void operator()(const DraftPathMoved& e);
  void operator()(const TokenRecovered& e);
  void operator()(const BonusSampled& e);

  // --- computing

  void operator()(const StepStarted& e);
  void operator()(const KvComputed& e);
  void operator()(const KvRead& e);
  void operator()(const TokenSampled& e);
  void operator()(const RolledBack& e);
  void operator()(const WorkCounted& e);
  void operator()(const StepTimed& e);
  void operator()(const TimePassed& e);

  // --- a lesson's words

  void operator()(const LessonStarted& e);
  void operator()(const Said& e);
  void operator()(const Asked& e);

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
  /// Before the request's table gets one more block: it is kept in blocks or in a region, never in both.
  void must_take_blocks(RequestId id) const {
    if (look(id).region) cannot_follow("request " + letter(id) + " has a region, so it takes no blocks");
  }
  /// The World stays small beside the file that it is read from: see World::size.
  void must_stay_small(std::uint64_t more) const {
    if (more > kMostWorldSize - world_.size) cannot_follow("all requests together have more than 268,435,456 tokens");
  }
  /// After look(id), before new_count or read_count becomes more than 0 or a round begins: the next step resets what is
  /// listed here.
  RequestState& edit_in_step(RequestId id) {
    RequestState& request = edit(id);
    if (request.new_count == 0 && request.read_count == 0 && !request.round) world_.step_requests.push_back(id);
    return request;
  }
  void must_be_entry(RequestId request, std::uint32_t logical, BlockId id) const {
    const std::vector<BlockId>& table = look(request).table;
    if (logical < table.size() && table[logical] == id) return;
    cannot_follow("block " + std::to_string(value(id)) + " is not entry " + std::to_string(logical) +
                  " of the request's table");
  }
  /// The block at the head of the free queue. A hash that nobody took back stays: violations() says that the block is
  /// found by what it no longer holds.
  void hand_out(BlockState& handed) {
    world_.free_blocks.pop_front();
    handed = {.ref_count = 1, .allocated_step = world_.step, .hash = handed.hash};
  }
  void let_go(BlockState& state, BlockId id) {
    if (--state.ref_count == 0) world_.free_blocks.push_back(id);
  }
  void count_swap(std::uint64_t bytes) {
    if (!adds_up(world_.swapped_bytes, bytes)) cannot_follow("the bytes that were swapped do not fit in 64 bits");
    world_.swapped_bytes += bytes;
  }
  void pass_time(std::uint64_t nanoseconds, bool simulated) {
    if (!adds_up(world_.nanoseconds, nanoseconds)) cannot_follow("the time does not fit in 64 bits");
    world_.nanoseconds += nanoseconds;
    world_.simulated_time = world_.simulated_time || simulated;
  }
  const RadixNodeState& node(NodeId id) const {
    if (index(id) >= world_.radix.size()) cannot_follow("there is no node " + std::to_string(value(id)));
    return *world_.radix[index(id)];
  }
  /// From the node up to the root. Orphans, which a faulty tree may have, end the walk.
  template <typename Visit>
  void for_path(NodeId id, const Visit& visit) {
    if (!node(id).exists) cannot_follow("node " + std::to_string(value(id)) + " is not in the tree");
    for (std::size_t steps = 0; steps <= world_.radix.size() && node(id).exists; ++steps) {
      visit(world_.radix[index(id)].edit());
      if (id == NodeId{0}) return;
      id = node(id).parent;
    }
  }
  /// The round whose next draft, or whose end, is at `position`.
  const DraftRound& round_at(RequestId id, std::uint32_t position) const;
  void conclude_round(RequestId id, std::uint32_t position, TokenId token, double probability);
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
      state.writer = request.id;
      state.writer_logical = static_cast<std::uint32_t>(i);
    }
  }

  World& world_;
};

}  // namespace kvarium
