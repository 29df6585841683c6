#include "core/trace/mark.h"

#include <array>
#include <cstddef>
#include <utility>

namespace kvarium {
namespace {

struct MarkOf {
  constexpr Mark operator()(const RequestArrived*) const { return Mark::arrived; }
  constexpr Mark operator()(const RequestForked*) const { return Mark::arrived; }
  constexpr Mark operator()(const RequestAdmitted*) const { return Mark::admitted; }
  constexpr Mark operator()(const RequestPreempted*) const { return Mark::preempted; }
  constexpr Mark operator()(const RequestFinished*) const { return Mark::finished; }
  constexpr Mark operator()(const RequestAborted*) const { return Mark::aborted; }
  constexpr Mark operator()(const BlockAllocated*) const { return Mark::allocated; }
  constexpr Mark operator()(const RegionReserved*) const { return Mark::allocated; }
  constexpr Mark operator()(const BlockShared*) const { return Mark::shared; }
  constexpr Mark operator()(const BlockReused*) const { return Mark::shared; }
  constexpr Mark operator()(const BlockCopied*) const { return Mark::copied; }
  constexpr Mark operator()(const BlockEvicted*) const { return Mark::evicted; }
  constexpr Mark operator()(const BlockExpired*) const { return Mark::evicted; }
  constexpr Mark operator()(const RadixNodeRemoved*) const { return Mark::evicted; }
  constexpr Mark operator()(const BlockReleased*) const { return Mark::released; }
  constexpr Mark operator()(const RegionReleased*) const { return Mark::released; }
  constexpr Mark operator()(const RolledBack*) const { return Mark::rolled_back; }
  constexpr Mark operator()(const StepStarted*) const { return Mark::step; }
  constexpr Mark operator()(const Said*) const { return Mark::said; }
  constexpr Mark operator()(const Asked*) const { return Mark::asked; }
  constexpr Mark operator()(const void*) const { return Mark::none; }
};

/// [kinds of events]: one look-up an event, because every event that is appended is asked for its mark.
template <std::size_t... kinds>
constexpr std::array<Mark, sizeof...(kinds)> marks_of_kinds(std::index_sequence<kinds...>) {
  return {MarkOf{}(static_cast<std::variant_alternative_t<kinds, Event>*>(nullptr))...};
}
constexpr auto kMarks = marks_of_kinds(std::make_index_sequence<std::variant_size_v<Event>>());

}  // namespace

Mark mark_of(const Event& event) { return kMarks[event.index()]; }

}  // namespace kvarium
