#pragma once
// What can be measured of a run, step by step, from its events alone: the engine keeps no counters of its own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace kvarium {

/// The numbers of one moment; in a MetricsLog, of the end of a step. Those that count something count from the start.
struct StepMetrics {
  std::uint64_t step = 0;
  std::uint64_t nanoseconds = 0;
  bool simulated = false;  ///< some of the time came from a cost model

  std::uint64_t running = 0, waiting = 0, preempted = 0, finished = 0, aborted = 0;  ///< requests; each counts once

  std::uint64_t blocks = 0;         ///< of the pool; 0: there is none
  std::uint64_t blocks_in_use = 0;  ///< of those, in a request's table; what only a cache holds is not in use
  std::uint64_t slots = 0;          ///< of the pool, paged or contiguous
  std::uint64_t held_slots = 0;     ///< of those, in blocks in use or in regions
  std::uint64_t empty_slots = 0;    ///< of those, without valid K and V: fragmentation

  PrefixCounts prefix;          ///< tokens looked up and found at each request's first admission
  PrefixCounts resumed_prefix;  ///< the same at later admissions, after a preemption: counted apart
  std::uint64_t preemptions = 0;
  std::uint64_t evicted_blocks = 0;
  CopyCounts copies;
  std::uint64_t swapped_bytes = 0;
  std::uint64_t computed_tokens = 0;  ///< whose K and V were computed, again and again where they were lost
  std::uint64_t sampled_tokens = 0;

  bool operator==(const StepMetrics&) const = default;
};

/// A share as a number from 0 to 1; 0 of nothing is 0.
double share(std::uint64_t part, std::uint64_t whole);
inline double hit_rate(const PrefixCounts& counts) { return share(counts.hit_tokens, counts.queried_tokens); }
inline double block_utilisation(const StepMetrics& now) { return share(now.held_slots, now.slots); }
inline double fragmentation(const StepMetrics& now) { return share(now.empty_slots, now.held_slots); }

/// A request waited, to start or to start again, in steps [first_step, end_step).
struct Wait {
  std::uint64_t first_step = 0, end_step = 0;
  std::uint64_t first_ns = 0, end_ns = 0;
  bool operator==(const Wait&) const = default;
};
struct Waited {
  std::uint64_t steps = 0;
  std::uint64_t nanoseconds = 0;
};

/// Built from the events of a trace, and brought up to date with what the trace has gained since.
class MetricsLog {
 public:
  /// Folds the events of the trace that are not in it yet; always of the same trace.
  void follow(const Trace& trace);

  std::size_t events() const { return world_.events; }
  /// [steps + 1]: step 0, before the first, and then each step at its end. Never empty.
  const std::vector<StepMetrics>& steps() const { return steps_; }
  /// The step's numbers at its end; of the last one when there is no such step.
  const StepMetrics& at(std::uint64_t step) const;

  /// In order; the last one may be open: then its end is UINT64_MAX.
  const std::vector<Wait>& waits(RequestId request) const { return requests_[index(request)].waits; }
  /// What the request has waited up to this moment of the trace: its queue time and what preemptions cost it.
  Waited waited(RequestId request, const World& now) const;
  /// Step of the first admission; nothing: never.
  std::optional<std::uint64_t> first_admitted(RequestId request) const;
  /// Between each token and the one before it of the same request, in the order of the trace, up to the end of the
  /// step.
  std::vector<double> token_gaps_ns(std::uint64_t step) const;

 private:
  struct Request {
    std::vector<Wait> waits;
    bool running = false;
  };
  struct Gap {
    std::uint64_t step = 0;
    std::uint64_t nanoseconds = 0;
  };

  void add(const Event& event);
  void begin_wait(RequestId request, std::uint64_t first_step);
  void end_wait(RequestId request, std::uint64_t end_step);
  void stop_running(RequestId request);
  void sample_gaps(const StepTimed& timed);
  void close_step();

  World world_;
  std::vector<StepMetrics> steps_ = std::vector<StepMetrics>(1);
  std::vector<Request> requests_;
  std::vector<RequestId> running_;
  std::vector<Gap> gaps_;
  StepMetrics now_;  ///< the counters of the events so far
};

/// The numbers of any moment, not only of a step's end. `world`: of the trace, which the log has followed.
StepMetrics metrics_of(const Trace& trace, const World& world, const MetricsLog& log);

}  // namespace kvarium
