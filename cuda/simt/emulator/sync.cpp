#include "cuda/simt/emulator/sync.h"

#include "cuda/simt/emulator/fault.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own names.
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {
namespace {

emulator::Meeting meet(const char* name, bool predicate, const emulator::Site& site) {
  emulator::Block* block = emulator::Block::current();
  if (block == nullptr) emulator::fault(emulator::FaultKind::barrier, "a barrier outside of a kernel", site);
  return block->barrier(name, predicate, site);
}

}  // namespace

void __syncthreads(emulator::Site site) { meet("__syncthreads", false, site); }

int __syncthreads_count(int predicate, emulator::Site site) {
  return meet("__syncthreads_count", predicate != 0, site).num_true;
}

int __syncthreads_and(int predicate, emulator::Site site) {
  const emulator::Meeting meeting = meet("__syncthreads_and", predicate != 0, site);
  return meeting.num_true == meeting.num_threads ? 1 : 0;
}

int __syncthreads_or(int predicate, emulator::Site site) {
  return meet("__syncthreads_or", predicate != 0, site).num_true != 0 ? 1 : 0;
}

void __syncwarp(unsigned mask, emulator::Site site) {
  emulator::warp_call("__syncwarp", mask, nullptr, nullptr, nullptr, site, true);
}

void pause_at(const char* label, emulator::Site site) {
  if (emulator::Block::current() != nullptr) emulator::Block::current()->pause(label, site);
}

void show_number(const char* name, double value) {
  if (emulator::Block::current() != nullptr) emulator::Block::current()->show(name, value);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
