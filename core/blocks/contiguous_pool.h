#pragma once
// How a KV cache was kept before paging: one row of slots, in which every request reserves its longest possible
// length when it starts. The baseline that paging is measured against (the systems before vLLM: Kwon et al. 2023, 3.1).

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/trace/event_sink.h"

namespace kvarium {

/// Invariant: reservations lie in the row, sorted by first slot, and do not overlap; written <= num_slots of each.
class ContiguousPool {
 public:
  /// Announces ArenaCreated. InputError when num_slots (tokens) is 0.
  ContiguousPool(std::uint64_t num_slots, EventSink& sink);
  ContiguousPool(const ContiguousPool&) = delete;
  ContiguousPool& operator=(const ContiguousPool&) = delete;

  /// Takes the first hole that is large enough (first fit). False, state untouched, when there is none, even if the
  /// holes together would do. MisuseError when the request has a reservation already or max_tokens is 0.
  [[nodiscard]] bool reserve(RequestId request, std::uint32_t max_tokens);
  /// The next `tokens` slots of the request's reservation are written. MisuseError when they reach past its end, or
  /// there is no reservation.
  void grow(RequestId request, std::uint32_t tokens);
  /// MisuseError when the request has no reservation (a double free).
  void release(RequestId request);

  /// first slot + position. MisuseError for a position that is not written.
  Slot slot_of(RequestId request, std::uint32_t position) const;

  std::uint64_t num_slots() const { return num_slots_; }
  std::uint64_t free_slots() const { return num_slots_ - reserved_slots(); }
  std::uint64_t reserved_slots() const;
  std::uint64_t written_slots() const;
  std::uint64_t largest_hole() const;  ///< slots; 0 when every slot is reserved
  /// Internal fragmentation: slots that are reserved and hold nothing.
  std::uint64_t reserved_unused_slots() const { return reserved_slots() - written_slots(); }
  /// External fragmentation: free slots that the largest possible request cannot have, because they lie in other
  /// holes than the largest.
  std::uint64_t scattered_free_slots() const { return free_slots() - largest_hole(); }

  /// The row from left to right, written/reserved: "[A 3/8] [free 4] [C 0/4]".
  std::string show() const;

 private:
  struct Reservation {
    RequestId request{};
    std::uint64_t first_slot = 0;
    std::uint32_t num_slots = 0;
    std::uint32_t written = 0;
  };
  struct Hole {
    std::size_t before = 0;  ///< the reservation that follows it; reservations_.size(): none
    std::uint64_t first_slot = 0;
    std::uint64_t num_slots = 0;
  };

  std::vector<Hole> holes() const;            ///< from left to right, none empty
  std::size_t find(RequestId request) const;  ///< reservations_.size() when it has none
  std::size_t must_find(RequestId request) const;

  std::uint64_t num_slots_;
  std::vector<Reservation> reservations_;
  EventSink& sink_;
};

}  // namespace kvarium
