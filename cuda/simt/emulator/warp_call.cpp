#include "cuda/simt/emulator/warp_call.h"

#include <cstring>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/kernel_text.h"
#include "cuda/simt/emulator/sanitizers.h"

namespace kvarium::cuda::emulator {

void warp_call(const char* name, std::uint32_t mask, const void* in, void* out, WarpFunction function, const Site& site,
               bool orders_memory) {
  Block* block = Block::current();
  if (block == nullptr) throw KernelFault(FaultKind::mask, std::string(name) + " is called outside of a kernel");
  if (orders_memory && block->is_left_out(site)) return;
  OpenCall call;
  call.name = name;
  call.function = function;
  call.mask = mask;
  call.orders_memory = orders_memory;
  block->warp_call(call, in, out, site);
}

void Block::warp_call(const OpenCall& wanted, const void* in, void* out, const Site& site) {
  const unsigned lane = running_ % kWarpSize;
  const unsigned warp = running_ / kWarpSize;
  if (((wanted.mask >> lane) & 1U) == 0) {
    fault(FaultKind::mask,
          std::string(wanted.name) + ": lane " + std::to_string(lane) + " is not in its own mask " +
              mask_text(wanted.mask),
          site);
  }
  OpenCall& call = find_call(warp, wanted, site);
  Thread& thread = threads_[running_];
  thread.in = in;
  thread.out = out;
  thread.mask = wanted.mask;
  thread.site = site;
  thread.waits_at = wanted.name;
  call.arrived |= 1U << lane;
  char* token = &warps_[warp].tokens[call.token];
  if (wanted.orders_memory) tsan_release(token);
  complete_if_all_are_here(warp, call);
  const bool is_open = call.mask != 0;
  // Who comes last could go on at once; in slow motion it stops like the others.
  if (is_open || pauses_) suspend(is_open ? ThreadState::at_warp_call : ThreadState::ready, wanted.name, site);
  if (wanted.orders_memory) tsan_acquire(token);
}

/// The open meeting that the running lane comes to, or a new one.
OpenCall& Block::find_call(unsigned warp, const OpenCall& wanted, const Site& site) {
  OpenCall* free_place = nullptr;
  for (OpenCall& call : warps_[warp].calls) {
    if (call.mask == 0) {
      if (free_place == nullptr) free_place = &call;
      continue;
    }
    if ((call.mask & wanted.mask) == 0) continue;
    unsigned other = warp * kWarpSize;
    while (((call.arrived >> (other % kWarpSize)) & 1U) == 0) ++other;
    const Thread& waiter = threads_[other];
    const bool is_same_line = waiter.site == site || launch_.options.allow_different_barriers;
    if (call.mask == wanted.mask && std::strcmp(call.name, wanted.name) == 0 && is_same_line) return call;
    fault(FaultKind::mask,
          std::string("calls ") + wanted.name + " with mask " + mask_text(wanted.mask) + ", while thread " +
              std::to_string(other) + " of its warp waits at " + call.name + " with mask " + mask_text(call.mask) +
              " (" + text_of(waiter.site) + ")",
          site);
  }
  if (free_place == nullptr) fault(FaultKind::mask, "too many warp operations are open at once", site);
  *free_place = wanted;
  free_place->token = warps_[warp].num_calls_ever++ % kTokens;
  return *free_place;
}

void Block::complete_if_all_are_here(unsigned warp, OpenCall& call) {
  const Warp& lanes = warps_[warp];
  const std::uint32_t expected = call.mask & lanes.lanes & ~lanes.returned;
  if ((call.arrived & expected) != expected || call.arrived == 0) return;
  WarpCall seen;
  seen.name = call.name;
  seen.mask = call.mask;
  seen.present = call.arrived;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (((call.arrived >> lane) & 1U) == 0) continue;
    Thread& thread = threads_[warp * kWarpSize + lane];
    seen.in[lane] = thread.in;
    seen.out[lane] = thread.out;
    seen.site[lane] = thread.site;
    thread.state = ThreadState::ready;
  }
  if (call.orders_memory) race_clock_.meet_in_warp(warp, call.arrived);
  call.mask = 0;
  const Unseen unseen;
  if (call.function != nullptr) call.function(seen);
}

}  // namespace kvarium::cuda::emulator
