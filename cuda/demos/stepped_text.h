#pragma once
// A stepped kernel in words and figures of text: what the Kernel tab draws, for terminals, screen readers and copying.

#include <cstdint>
#include <string>
#include <string_view>

#include "cuda/demos/stepped_kernel.h"

namespace kvarium::cuda::demos {

/// "not started", "can go on", "at stop \"score\"", "waits at __shfl_xor_sync for lanes 0-7", "done"
std::string state_words(const emulator::Thread& thread);
/// One sign for the same: . > | = x, explained by state_signs().
char state_sign(const emulator::Thread& thread);
std::string state_signs();

/// "0-7" or "0-2 5"
std::string lanes_words(std::uint32_t mask);
/// "####....": one sign a lane, lane 0 first.
std::string lanes_figure(std::uint32_t mask, unsigned lanes);
/// "attention_decode_warp.cuh:65"; empty before a thread has come to any place.
std::string place_words(const emulator::Thread& thread);
/// Four decimals where they are needed: "3", "1.5530", "-inf"
std::string number_words(double number);
/// The number that the thread shows under this name; empty when it shows none.
std::string register_words(const emulator::Thread& thread, std::string_view name);
/// "11 of 16, 68.75 %"
std::string busy_words(const BusyLanes& lanes);
/// "reads keys (attention_decode_warp.cuh:22)"
std::string line_words(const emulator::LineCount& line);
/// "reads keys :22"
std::string short_line_words(const emulator::LineCount& line);

/// One line a thread of the warp: state, place, registers.
std::string lanes_text(const SteppedKernel& kernel, unsigned warp);
/// The tokens of the sequence, their blocks and slots, and which were read or written so far; empty without a cache.
std::string gather_text(const SteppedKernel& kernel);
/// The newest request to global memory, sector by sector, and the newest to shared memory with its banks.
std::string requests_text(const SteppedKernel& kernel);
/// What is written in shared memory: [row of 32 banks]; empty when the block has none yet.
std::string shared_text(const SteppedKernel& kernel);
/// One line for each line of the kernel that touches memory, and the sums beside the header's table.
std::string counts_text(const SteppedKernel& kernel);
/// A few lines of the source around the place of a thread, which is marked; a sentence where there is no source.
std::string source_text(const SteppedKernel& kernel, unsigned thread);
/// The whole state; `thread`: whose source and warp are shown.
std::string kernel_text(const SteppedKernel& kernel, unsigned thread);

}  // namespace kvarium::cuda::demos
