#pragma once
// What happened when, by step and request: the data of the Gantt chart, the memory chart and the marks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace kvarium {

/// swapped: preempted, its K and V in the memory of the host.
enum class LaneState : std::uint8_t { waiting, prefill, decode, preempted, swapped };

/// A request was in one state for steps [first_step, end_step).
struct LaneSegment {
  std::uint32_t first_step = 0;
  std::uint32_t end_step = 0;
  LaneState state{};
  bool operator==(const LaneSegment&) const = default;
};

/// What one step computed and read for one request.
struct WorkRow {
  std::uint32_t step = 0;
  std::uint32_t first = 0;  ///< K and V of positions [first, first + count) were computed
  std::uint32_t count = 0;
  std::uint32_t read_count = 0;  ///< the newest query read positions [0, read_count)
  bool kept = true;
  Phase phase{};
  bool operator==(const WorkRow&) const = default;
};

/// What a request holds from a step's end on, until the next Holding.
struct Holding {
  std::uint32_t step = 0;
  std::uint32_t computed_tokens = 0;  ///< slots with valid K and V
  std::uint64_t slots = 0;            ///< blocks times block size, or the region's length
  bool operator==(const Holding&) const = default;
};

struct TimelineMark {
  std::uint64_t event = 0;  ///< its place in the trace
  std::uint32_t step = 0;
  RequestId request{};  ///< of every mark but step, said and asked
  BlockId block{};      ///< of allocated, shared and released blocks
  Mark mark{};
  bool operator==(const TimelineMark&) const = default;
};

/// Built from the events of a trace, and brought up to date with what the trace has gained since. All lists are in the
/// order of the trace and only grow, so their memory is bounded by the number of events.
///
/// Steps are 0 (before the first) to last_step(). A trace has at most 4,294,967,294 of them here.
class Timeline {
 public:
  /// Adds the events of the trace that are not in it yet; always of the same trace.
  void follow(const Trace& trace);

  std::size_t events() const { return events_; }
  std::uint32_t last_step() const { return step_; }
  std::size_t num_requests() const { return requests_.size(); }

  /// The request's states in order; the last segment of a request that has not ended ends after last_step().
  std::vector<LaneSegment> lane(RequestId request) const;
  /// Where a request was forked from another; nothing for one that arrived by itself.
  struct Fork {
    RequestId parent{};
    std::uint64_t event = 0;  ///< its place in the trace
    bool operator==(const Fork&) const = default;
  };
  std::optional<Fork> fork(RequestId request) const { return at(request).fork; }
  /// In order of steps, one a step at most.
  std::span<const WorkRow> work_rows(RequestId request) const { return at(request).rows; }
  /// The row of a step; nullptr when the step did nothing for the request.
  const WorkRow* work_row(RequestId request, std::uint32_t step) const;

  /// What the request holds at the end of the step.
  Holding held(RequestId request, std::uint32_t step) const;
  /// All requests that hold something at the end of the step, in id order: a column of the stacked chart.
  std::vector<RequestId> holders(std::uint32_t step) const;
  /// Slots that all requests hold at the end of the step; a block that two tables share counts once.
  std::uint64_t held_slots(std::uint32_t step) const;

  /// All marks but Mark::step, which start_of_step() of the trace tells.
  const std::vector<TimelineMark>& marks() const { return marks_; }
  /// The marks of steps [first, end).
  std::span<const TimelineMark> marks_of_steps(std::uint32_t first, std::uint32_t end) const;

 private:
  friend class TimelineBuilder;
  struct Request {
    std::vector<LaneSegment> lane;  // the last one is open while the request has not ended: end_step means nothing
    bool ended = false;
    bool swapped = false;  // its K and V are in the memory of the host
    std::optional<Fork> fork;
    std::vector<WorkRow> rows;
    std::vector<Holding> holdings;
    std::vector<BlockId> table;
    std::uint64_t region_slots = 0;  // of its region
    std::uint32_t computed = 0;
    std::size_t listed_in_group = SIZE_MAX;  // the last of holders_ that names the request
  };
  const Request& at(RequestId request) const;

  std::vector<Request> requests_;
  std::vector<TimelineMark> marks_;
  std::vector<std::vector<RequestId>> holders_;  // [steps / kStepsAGroup]: who held something during these steps
  std::set<RequestId> holding_now_;
  std::vector<std::uint64_t> slots_of_step_;  // [steps]
  std::vector<std::uint32_t> tables_of_;      // by BlockId
  std::uint64_t used_blocks_ = 0;             // that a table names
  std::uint64_t region_slots_ = 0;            // of all requests
  std::uint64_t block_size_ = 0;
  std::size_t events_ = 0;
  std::uint32_t step_ = 0;
};

}  // namespace kvarium
