#pragma once
// Who was in the batch of each step, and who had to wait, in text: computed from Worlds and nothing else.

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/world.h"

namespace kvarium {

/// Requests that the step computed something for, in id order, as letters: "BCD".
std::string batch_of(const World& after_step);
/// Requests that had arrived and had not ended, but got nothing in this step: they wait, or were preempted.
std::string waiting_in(const World& after_step);
/// [requests]: the steps in which each of them waited.
std::vector<std::uint64_t> waiting_steps(const std::vector<World>& after_steps);

/// One line a step: its number, its batch, who waits, and the free blocks.
std::string batch_figure(const std::vector<World>& after_steps);
/// One line a request: when it arrived, when it ended, and how many steps it waited.
std::string waiting_figure(const std::vector<World>& after_steps);

}  // namespace kvarium
