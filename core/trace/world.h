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
#include "core/trace/event.h"
#include "core/work.h"

namespace kvarium {

struct BlockState {
  std::uint32_t ref_count = 0;
  std::uint32_t written = 0;  ///< slots whose K and V were ever written since the block was last allocated
  std::uint64_t allocated_step = 0;
  std::uint64_t written_step = 0;  ///< the last step that wrote into it; 0: none
  std::uint64_t read_step = 0;     ///< the last step whose attention read it; 0: none
};

/// A request's place in the contiguous pool: slots [first_slot, first_slot + num_slots).
struct Region {
  std::uint64_t first_slot = 0;
  std::uint64_t num_slots = 0;
  bool operator==(const Region&) const = default;
};

struct RequestState {
  RequestId id{};
  RequestStatus status = RequestStatus::waiting;
  std::vector<TokenId> tokens;  ///< [0, prompt_tokens) came with the request, the rest was generated
  std::uint32_t prompt_tokens = 0;
  std::uint32_t max_new_tokens = 0;
  std::uint32_t computed_tokens = 0;  ///< K and V of positions [0, computed_tokens) are in the cache
  std::vector<BlockId> table;         ///< logical block i -> physical block
  std::optional<Region> region;       ///< in the contiguous pool
  std::uint32_t preemptions = 0;
  std::uint64_t arrived_step = 0;
  std::uint64_t admitted_step = 0;  ///< of the last admission; 0: never
  std::uint64_t ended_step = 0;     ///< finished or aborted; 0: not yet
  FinishReason finish_reason{};     ///< meaningful when finished
  Work work;                        ///< all steps so far

  // What the current step did to it; reset when a step starts.
  std::uint32_t new_first = 0;  ///< positions [new_first, new_first + new_count) were computed in this step
  std::uint32_t new_count = 0;
  bool new_kept = true;  ///< false: computed, used once, thrown away (no cache)
  Phase phase{};
  std::uint32_t read_count = 0;  ///< the newest query read K and V of positions [0, read_count)
};

struct World {
  std::uint64_t events = 0;  ///< how many events were folded
  std::uint64_t step = 0;    ///< the engine step that the last event belongs to; 0: before the first

  ModelShape model;
  CopyOnWrite<std::unordered_map<std::int32_t, std::string>> token_text;

  std::uint32_t block_size = 0;  ///< tokens a block; 0: no pool was made
  std::vector<BlockState> blocks;
  FreeQueue free_blocks;
  std::uint64_t arena_slots = 0;  ///< of the contiguous pool; 0: none was made

  std::vector<CopyOnWrite<RequestState>> requests;  ///< by RequestId
  Work work;                                        ///< of all requests
  std::uint64_t nanoseconds = 0;                    ///< sum of StepTimed
  bool simulated_time = false;                      ///< some of it came from a cost model

  std::string lesson_title;
  std::optional<Said> said;    ///< the lesson's words now
  std::optional<Asked> asked;  ///< the lesson's question now

  const RequestState& request(RequestId id) const;
  /// The text of a token: its name, or its number where the trace did not name it.
  std::string text_of(TokenId token) const;
};

/// Applies one event. Throws MisuseError, the world as before, when the event cannot follow (an unknown request, a
/// block that is not at the head of the free queue): a trace from a file may say anything.
void fold(World& world, const Event& event);

/// Slots of logical block `i` of the request that hold valid K and V.
std::uint32_t filled_slots(const World& world, const RequestState& request, std::size_t i);

}  // namespace kvarium
