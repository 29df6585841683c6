#pragma once
// The state after the first n events of a trace, as plain values. Nothing else may be drawn, printed or checked.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/blocks/free_queue.h"
#include "core/ids.h"
#include "core/model_shape.h"
#include "core/trace/copy_on_write.h"
#include "core/trace/draft_round.h"
#include "core/trace/event.h"
#include "core/work.h"

namespace kvarium {

struct BlockState {
  std::uint32_t ref_count = 0;       ///< table entries that name the block, and one for the radix tree
  std::uint32_t written = 0;         ///< slots whose K and V were ever written since the block was last allocated
  std::uint64_t allocated_step = 0;  ///< of the last allocation
  std::uint64_t written_step = 0;    ///< the last step that wrote into it; 0: none
  std::optional<BlockHash> hash;     ///< by which the prefix cache finds it; none: it does not
  std::uint64_t cached_event = 0;    ///< when that began; of blocks with the same hash the first one is found
  bool in_tree = false;              ///< the radix tree holds it: one reference more than table entries
  /// The last request that wrote into the block, as its logical block writer_logical: what is in the block is K and V
  /// of that request's tokens.
  RequestId writer{};
  std::uint32_t writer_logical = 0;
  bool operator==(const BlockState&) const = default;
};

/// A request's place in the contiguous pool: slots [first_slot, first_slot + num_slots).
struct Region {
  std::uint64_t first_slot = 0;
  std::uint64_t num_slots = 0;
  bool operator==(const Region&) const = default;
};

/// A node of the radix tree: its tokens, behind those of its ancestors, and the blocks that hold their K and V.
struct RadixNodeState {
  bool exists = false;  ///< ids are used again
  NodeId parent{};
  std::vector<TokenId> tokens;  ///< whole pages
  std::vector<BlockId> blocks;  ///< [tokens / block_size]
  std::string scope;            ///< of a child of the root
  std::uint32_t locks = 0;
  std::uint64_t used_step = 0;  ///< of the last use
  bool operator==(const RadixNodeState&) const = default;
};

struct RequestState {
  RequestId id{};
  RequestStatus status = RequestStatus::waiting;
  std::vector<TokenId> tokens;  ///< [0, prompt_tokens) came with the request, the rest was generated
  std::uint32_t prompt_tokens = 0;
  std::uint32_t max_new_tokens = 0;
  std::string scope;                  ///< tagged(): others share nothing with it
  std::int32_t priority = 0;          ///< higher goes first
  std::optional<RequestId> parent;    ///< it was forked from
  std::uint32_t computed_tokens = 0;  ///< K and V of positions [0, computed_tokens) are in the cache
  std::vector<BlockId> table;         ///< logical block i -> physical block
  std::optional<Region> region;       ///< in the contiguous pool
  std::uint32_t preemptions = 0;
  std::uint32_t hit_tokens = 0;      ///< found in the prefix cache when it was first admitted
  std::uint32_t swapped_tokens = 0;  ///< whose K and V are in the memory of the host
  std::uint64_t arrived_step = 0;
  std::uint64_t admitted_step = 0;  ///< of the last admission; 0: never, or before the first step
  std::uint64_t ended_step = 0;     ///< finished or aborted; 0: not yet, or before the first step
  FinishReason finish_reason{};     ///< meaningful when finished
  // Times count all StepTimed and TimePassed so far, in nanoseconds.
  std::uint64_t arrived_ns = 0;
  std::optional<std::uint64_t> admitted_ns;     ///< of the first admission
  std::optional<std::uint64_t> first_token_ns;  ///< at the end of the step that sampled it
  std::uint64_t last_token_ns = 0;              ///< of the newest token
  Work work;                                    ///< all steps so far

  std::uint32_t draft_cached = 0;  ///< tokens whose K and V are in the draft model's own cache

  std::uint64_t last_read_step = 0;   ///< the last step whose attention read its K and V; 0: none
  std::uint32_t last_read_count = 0;  ///< that step read positions [0, last_read_count)

  // What the current step did to it; reset when a step starts.
  std::uint32_t new_first = 0;  ///< positions [new_first, new_first + new_count) were computed in this step
  std::uint32_t new_count = 0;
  bool new_kept = true;             ///< false: computed, used once, thrown away (no cache)
  Phase phase{};                    ///< of the last computation, not reset
  std::uint32_t read_count = 0;     ///< the newest query read K and V of positions [0, read_count)
  std::optional<DraftRound> round;  ///< of drafts

  bool ended() const { return status == RequestStatus::finished || status == RequestStatus::aborted; }
  bool operator==(const RequestState&) const = default;
};

/// Tokens that were looked up in the prefix cache, and how many of them were found.
struct PrefixCounts {
  std::uint64_t queried_tokens = 0;
  std::uint64_t hit_tokens = 0;
  bool operator==(const PrefixCounts&) const = default;
};

/// What copy-on-write copied.
struct CopyCounts {
  std::uint64_t blocks = 0;
  std::uint64_t tokens = 0;
  bool operator==(const CopyCounts&) const = default;
};

/// Of World::size; its tokens are 1 GiB then. A small file may not ask for more: an event of a few bytes that forks a
/// request copies all its tokens.
constexpr std::uint64_t kMostWorldSize = std::uint64_t{1} << 28U;

struct World {
  std::uint64_t events = 0;  ///< how many events were folded
  std::uint64_t step = 0;    ///< the engine step that the last event belongs to; 0: before the first

  ModelShape model;
  CopyOnWrite<std::unordered_map<std::int32_t, std::string>> token_text;

  std::string scheduler;         ///< in a few words; empty: nobody said
  bool serves_in_order = false;  ///< nobody is admitted before all who came earlier
  std::uint32_t block_size = 0;  ///< tokens a block; 0: no pool was made
  std::vector<BlockState> blocks;
  FreeQueue free_blocks;
  PrefixCounts prefix;                             ///< each request counts once, when it first starts
  PrefixCounts resumed_prefix;                     ///< requests that start again after a preemption, counted apart
  std::vector<CopyOnWrite<RadixNodeState>> radix;  ///< by NodeId, the root first; empty: there is no tree
  std::uint64_t evicted_blocks = 0;                ///< that were cached and are found no more
  CopyCounts copies;
  std::uint64_t swapped_bytes = 0;  ///< in both directions
  std::string proposer;             ///< of drafts, in a few words; empty: nothing is drafted
  std::uint32_t most_drafts = 0;    ///< a round
  SpeculationCounts speculation;
  std::uint64_t arena_slots = 0;  ///< of the contiguous pool; 0: none was made

  std::vector<CopyOnWrite<RequestState>> requests;  ///< by RequestId
  std::vector<RequestId> step_requests;  ///< those that the current step computed or read something for, each once
  std::vector<RequestId> sampled;        ///< those that got a token in the current step, whose end is not known yet
  /// Tokens of all requests together, and what forks copied besides: table entries, and characters of scopes.
  std::uint64_t size = 0;
  Work work;                      ///< of all requests
  std::uint64_t nanoseconds = 0;  ///< sum of StepTimed and TimePassed
  bool simulated_time = false;    ///< some of it came from a cost model

  std::string lesson_title;
  std::optional<Said> said;    ///< the lesson's words now
  std::optional<Asked> asked;  ///< the lesson's question now

  const RequestState& request(RequestId id) const;  ///< MisuseError: there is no such request
  /// The text of a token: its name, or its number where the trace did not name it.
  std::string text_of(TokenId token) const;
  bool operator==(const World&) const = default;
};

/// Applies one event. Throws MisuseError, the world as before, when the event cannot follow (an unknown request, a
/// block that is not at the head of the free queue): a trace from a file may say anything.
///
/// What fold() refuses is what would make the World meaningless: ids that do not exist, a hand-out order that is not
/// kept, K and V written where no slot is held. What is merely wrong (a finished request that still holds blocks) is
/// folded and then reported by violations(), so that a faulty engine can be watched.
void fold(World& world, const Event& event);

/// Slots of logical block `i` of the request that hold valid K and V.
std::uint32_t filled_slots(const World& world, const RequestState& request, std::size_t i);
/// Slots that the request holds: its table's blocks times block_size, or its region.
std::uint64_t held_slots(const World& world, const RequestState& request);
/// Tokens in the radix tree, of nodes without a lock and of nodes with one.
struct RadixSizes {
  std::uint64_t evictable = 0, locked = 0;
};
RadixSizes radix_sizes(const World& world);
/// [blocks]: the last step whose attention read each block, by the requests that hold it now; 0: none. A walk over all
/// tables, once a picture; keeping it up to date in the fold would touch every block of a request at each of its
/// tokens.
std::vector<std::uint64_t> read_steps(const World& world);

}  // namespace kvarium
