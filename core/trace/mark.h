#pragma once
// The events that a time line marks and that a person jumps between.

#include <cstdint>

#include "core/trace/event.h"

namespace kvarium {

enum class Mark : std::uint8_t {
  none,  ///< an event that is not marked
  arrived,
  admitted,
  preempted,
  finished,
  aborted,
  allocated,  ///< a block or a region was taken
  shared,     ///< a block that others hold, or one that is free and still cached
  copied,     ///< copy-on-write
  evicted,    ///< something that was cached is found no more
  released,   ///< a block or a region was given back
  rolled_back,
  step,
  said,
  asked,
};

/// A set of marks, one bit each.
class MarkSet {
 public:
  constexpr MarkSet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a mark is a set of one, and is given where a set is asked for
  constexpr MarkSet(Mark mark) : bits_(1U << static_cast<unsigned>(mark)) {}
  constexpr bool contains(Mark mark) const { return ((bits_ >> static_cast<unsigned>(mark)) & 1U) != 0; }
  friend constexpr MarkSet operator|(MarkSet a, MarkSet b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::uint32_t bits_ = 0;
};
constexpr MarkSet operator|(Mark a, Mark b) { return MarkSet(a) | MarkSet(b); }

/// Where a request begins or ends: the steps of the player's granularity "request".
inline constexpr MarkSet kRequestBoundaries = Mark::arrived | Mark::finished | MarkSet(Mark::aborted);
/// What happens to memory.
inline constexpr MarkSet kMemoryMarks = Mark::allocated | Mark::shared | MarkSet(Mark::copied) | Mark::evicted |
                                        Mark::released | Mark::preempted | Mark::rolled_back;

/// The mark of an event; Mark::none for most kinds.
Mark mark_of(const Event& event);

}  // namespace kvarium
