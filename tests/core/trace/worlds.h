#pragma once
// Small worlds for the tests of core/trace.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/trace/event.h"
#include "core/trace/world.h"

namespace kvarium_test {

using namespace kvarium;

inline std::vector<BlockId> blocks(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> list;
  list.reserve(ids.size());
  for (const std::uint32_t id : ids) list.push_back(BlockId{id});
  return list;
}

/// Tokens 100, 101, ...
inline std::vector<TokenId> tokens(int count) {
  std::vector<TokenId> list(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) list[static_cast<std::size_t>(i)] = TokenId{100 + i};
  return list;
}

inline void fold_all(World& world, const std::vector<Event>& events) {
  for (const Event& event : events) fold(world, event);
}

inline World world_of(const std::vector<Event>& events) {
  World world;
  fold_all(world, events);
  return world;
}

/// A run of 8 blocks of 4 tokens: request A, prompt 6, is prefilled into blocks 7 and 3 in step 1.
inline std::vector<Event> prefill_events() {
  const RequestId a{0};
  return {PoolCreated{4, blocks({7, 3, 0, 1, 2, 4, 5, 6})},
          RequestArrived{a, tokens(6), 3},
          StepStarted{1},
          RequestAdmitted{a},
          BlockAllocated{a, BlockId{7}},
          BlockAllocated{a, BlockId{3}},
          KvComputed{a, 0, 6, Phase::prefill, true},
          KvRead{a, 6}};
}
inline World prefilled_world() { return world_of(prefill_events()); }

}  // namespace kvarium_test
