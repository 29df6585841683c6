#pragma once
// What one step will do, decided before anything changes: a value that can be printed, compared and checked.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// One request's share of a step: its next `count` uncomputed tokens. A whole prompt, a part of it (chunked prefill),
/// or the one token that was sampled last, and behind that tokens that are only guessed.
struct Chunk {
  RequestId request{};
  std::uint32_t count = 0;
  std::uint32_t drafts = 0;  ///< at most so many guesses are verified in the same pass: see core/speculation
  bool operator==(const Chunk&) const = default;
};

/// Applied in this order: all preemptions, then all admissions, then all chunks in one forward pass.
struct StepPlan {
  std::vector<RequestId> preempt;  ///< each goes to the head of the waiting queue: the last one ends up first
  std::vector<RequestId> admit;    ///< in the order in which they join the running requests
  std::vector<Chunk> chunks;       ///< at most one a request

  bool operator==(const StepPlan&) const = default;
};

/// "preempt B | admit C | compute A:1+3 C:5", where A has 3 drafts verified; parts that are empty are left out.
std::string show(const StepPlan& plan);

}  // namespace kvarium
