#include "cuda/simt/emulator/copy_queue.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/race_shadow.h"
#include "cuda/simt/emulator/sanitizers.h"

namespace kvarium::cuda::emulator {
namespace {

void move_bytes(const PendingCopy& copy) {
  std::memcpy(copy.to, copy.from, copy.bytes);
  std::memset(copy.to + copy.bytes, 0, kCopyBytes - copy.bytes);
}

/// The copy is done, and the thread that began it knows it: like a write of that thread, now.
void land(const Block& block, const PendingCopy& copy) {
  if (copy.to_region->shadow != nullptr) {
    copy.to_region->shadow->end_flight(*copy.to_region, copy.to, kCopyBytes);
    copy.to_region->shadow->note(block, *copy.to_region, copy.to, kCopyBytes, Access::store, copy.site);
  }
  {
    const Unseen unseen;
    if (!copy.has_landed) move_bytes(copy);
  }
  tsan_write(copy.to, kCopyBytes);
  mark_written(*copy.to_region, copy.to, kCopyBytes);
}

/// The copies of the groups before `group` land.
void land_before(CopyQueue& queue, unsigned group) {
  std::size_t landed = 0;
  while (landed < queue.count && queue.copies[landed].group < group) land(*Block::current(), queue.copies[landed++]);
  std::copy(queue.copies + landed, queue.copies + queue.count, queue.copies);
  queue.count -= landed;
}

}  // namespace

void begin_copy(Region* to_region, void* to, Region* from_region, const void* from, int bytes, const Site& site) {
  check_place(to_region, to, kCopyBytes, kCopyBytes, Access::store, site);
  if (bytes < 0 || bytes > static_cast<int>(kCopyBytes)) {
    fault(FaultKind::bounds, "copies " + std::to_string(bytes) + " bytes; cp_async16 copies 0 to 16", site);
  }
  const auto num_bytes = static_cast<std::size_t>(bytes);
  if (num_bytes != 0) {
    check_access(from_region, from, num_bytes, kCopyBytes, Access::load, site);
    tsan_read(from, num_bytes);
  }
  Block& block = *Block::current();
  CopyQueue& queue = block.copies();
  if (queue.count == kMostCopies) {
    fault(FaultKind::in_flight, "has " + std::to_string(kMostCopies) + " copies under way: the emulator keeps no more",
          site);
  }
  if (AccessLog* log = block.launch().options.log) log->note(block, *to_region, to, kCopyBytes, Access::store, site);
  if (to_region->shadow != nullptr) to_region->shadow->begin_flight(block, *to_region, to, kCopyBytes, site);
  const bool now = block.launch().options.copies == CopyTime::eager;
  PendingCopy& copy = queue.copies[queue.count++];
  copy = {to_region, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), num_bytes, queue.group, now,
          site};
  tsan_write(to, kCopyBytes);
  const Unseen unseen;
  if (now) move_bytes(copy);
}

void commit_copies() { ++Block::current()->copies().group; }

void wait_for_copies(unsigned youngest, const Site& site) {
  CopyQueue& queue = Block::current()->copies();
  if (Block::current()->is_left_out(site)) ++youngest;
  if (queue.group >= youngest) land_before(queue, queue.group - youngest);
}

void land_all_copies(CopyQueue& queue) { land_before(queue, queue.group + 1); }

void forget_copies(CopyQueue& queue) {
  for (std::size_t i = 0; i < queue.count; ++i) {
    const PendingCopy& copy = queue.copies[i];
    if (copy.to_region->shadow != nullptr) copy.to_region->shadow->end_flight(*copy.to_region, copy.to, kCopyBytes);
  }
  queue.count = 0;
}

}  // namespace kvarium::cuda::emulator
