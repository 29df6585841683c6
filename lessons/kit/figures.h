#pragma once
// The figures of the lessons, in text: each is computed from a World and nothing else.

#include <string>
#include <vector>

#include "core/trace/world.h"

namespace kvarium {

/// One line a request, one sign a position: # computed in this step and kept, = kept from before and read, x computed
/// and thrown away.
std::string step_figure(const World& world);
/// The same, one line a step and one column a request, with the sum of K and V computations under each.
std::string history_figure(const std::vector<World>& after_steps);
/// The request's tokens as text, prompt and answer apart.
std::string tokens_figure(const World& world, const RequestState& request);
/// Every block of the pool, one sign a slot: the owner's letter, _ held but empty, . free.
std::string pool_figure(const World& world);
/// The request's block table: logical block, physical block, positions, slots filled.
std::string table_figure(const World& world, const RequestState& request);
/// The slot that holds K and V of `position`. MisuseError when the request's table does not reach it.
Slot slot_of(const World& world, const RequestState& request, std::uint32_t position);

}  // namespace kvarium
