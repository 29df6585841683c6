#pragma once
// Barriers and pauses, under CUDA's names. Each knows the line that calls it.

#include "cuda/simt/emulator/block.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own names.
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// All threads of the block meet; what was written before is seen by all after.
void __syncthreads(emulator::Site site = emulator::Site::current());
/// The same, and how many brought a predicate that is not zero; whether all did; whether any did.
int __syncthreads_count(int predicate, emulator::Site site = emulator::Site::current());
int __syncthreads_and(int predicate, emulator::Site site = emulator::Site::current());
int __syncthreads_or(int predicate, emulator::Site site = emulator::Site::current());

/// The lanes of the mask meet; what was written before is seen by them after.
void __syncwarp(unsigned mask = 0xFFFFFFFFU, emulator::Site site = emulator::Site::current());

/// Memory fences: the emulator performs all accesses in the order of the program.
inline void __threadfence() {}
inline void __threadfence_block() {}

/// Where a kernel that is stepped stops as well; nothing otherwise.
void pause_at(const char* label, emulator::Site site = emulator::Site::current());
#define SIMT_PAUSE(label) ::kvarium::cuda::pause_at(label)
/// A register that a stepper shows, under its name.
void show_number(const char* name, double value);
#define SIMT_SHOW(name, value) ::kvarium::cuda::show_number(name, static_cast<double>(value))

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
