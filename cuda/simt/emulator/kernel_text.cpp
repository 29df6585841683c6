#include "cuda/simt/emulator/kernel_text.h"

#include <cstring>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"

namespace kvarium::cuda::emulator {
namespace {

std::string triple(const uint3& index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

bool is_flat(const dim3& size) { return size.y == 1 && size.z == 1; }

bool wait_alike(const Thread& a, const Thread& b) {
  if (a.state != b.state) return false;
  if (a.state == ThreadState::unstarted || a.state == ThreadState::ready || a.state == ThreadState::returned)
    return true;
  return a.site == b.site && std::strcmp(a.waits_at, b.waits_at) == 0 &&
         (a.state != ThreadState::at_warp_call || a.mask == b.mask);
}

/// "waits at __syncthreads (a.cuh:12)"
std::string what_it_does(const Thread& thread, bool plural) {
  const std::string waits = plural ? "wait" : "waits";
  switch (thread.state) {
    case ThreadState::at_barrier:
      return waits + " at " + thread.waits_at + " (" + text_of(thread.site) + ")";
    case ThreadState::at_warp_call:
      return waits + " at " + thread.waits_at + " with mask " + mask_text(thread.mask) + " (" + text_of(thread.site) +
             ")";
    case ThreadState::returned:
      return "returned";
    case ThreadState::paused:
      return std::string(plural ? "pause" : "pauses") + " at " + thread.waits_at + " (" + text_of(thread.site) + ")";
    case ThreadState::unstarted:
    case ThreadState::ready:
      return "can run";
  }
  return "";
}

}  // namespace

std::string text_of(const Site& site) {
  const char* slash = std::strrchr(site.file, '/');
  return std::string(slash == nullptr ? site.file : slash + 1) + ":" + std::to_string(site.line);
}

std::string mask_text(unsigned mask) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(mask >> static_cast<unsigned>(shift)) & 15U];
  return text;
}

std::string block_text(const Block& block) {
  return "block " + (is_flat(block.launch().grid) ? std::to_string(block.index().x) : triple(block.index()));
}

std::string thread_text(const Block& block, unsigned thread) {
  std::string text = block_text(block) + ", thread " + std::to_string(thread);
  if (!is_flat(block.launch().block)) text += " " + triple(block.thread(thread).index);
  return text;
}

void fault(FaultKind kind, const std::string& what, const Site& site) {
  const Block* block = Block::current();
  const std::string who = block == nullptr ? "" : thread_text(*block, block->running()) + ": ";
  throw KernelFault(kind, who + what + " (" + text_of(site) + ")");
}

std::string Block::waiting() const {
  std::string text;
  for (unsigned first = 0; first < num_threads();) {
    unsigned end = first + 1;
    while (end < num_threads() && wait_alike(threads_[first], threads_[end])) ++end;
    const bool plural = end > first + 1;
    text += text.empty() ? "thread" : ", thread";
    text += (plural ? "s " : " ") + std::to_string(first);
    if (plural) text += "-" + std::to_string(end - 1);
    text += " " + what_it_does(threads_[first], plural);
    first = end;
  }
  return text;
}

}  // namespace kvarium::cuda::emulator
