#include "cuda/simt/emulator/race_shadow.h"

#include <string>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"

namespace kvarium::cuda::emulator {
namespace {

/// A word is the most that one cell stands for: a bank is as wide.
std::size_t granule_for(std::size_t element_bytes) {
  for (const std::size_t granule : {4U, 2U}) {
    if (element_bytes % granule == 0) return granule;
  }
  return 1;
}

}  // namespace

RaceShadow::RaceShadow(std::size_t bytes, std::size_t element_bytes)
    : granule_(granule_for(element_bytes)), cells_((bytes + granule_ - 1) / granule_) {}

RaceShadow::Range RaceShadow::cells_of(const Region& region, const void* address, std::size_t bytes) {
  const auto offset = region.offset_of(address);
  if (offset % granule_ != 0 || bytes % granule_ != 0) {
    // The array is used in smaller pieces than it was declared with: one cell a byte from now on.
    granule_ = 1;
    cells_.assign(region.bytes, {});
  }
  return {offset / granule_, (offset + bytes) / granule_};
}

/// Whether nothing orders `before` with what the running thread does now.
bool RaceShadow::is_race(const Block& block, const Stamp& before, Access access) {
  const unsigned me = block.running();
  if (before.epoch == 0 || before.epoch != block.race_clock().epoch() || before.thread == me) return false;
  if (before.access == Access::load && access == Access::load) return false;
  if (before.access == Access::atomic && access == Access::atomic) return false;
  const bool same_warp = before.thread / kWarpSize == me / kWarpSize;
  return !same_warp || block.race_clock().seen(me, before.thread) < before.clock;
}

void RaceShadow::keep_read(Cell& cell, const Stamp& now) {
  const Stamp last = cell.read;
  if (last.epoch == now.epoch && last.thread != now.thread) {
    const bool same_warp = last.thread / kWarpSize == now.thread / kWarpSize;
    (same_warp ? cell.read_in_warp : cell.read_elsewhere) = last;
  }
  cell.read = now;
}

void RaceShadow::report(const Region& region, const void* address, const Stamp& before, Access access,
                        const Site& site) {
  const char* past = before.access == Access::load ? "read" : before.access == Access::store ? "wrote" : "changed";
  fault(FaultKind::race,
        std::string("race: ") + verb(access) + " " + element_text(region, address) + ", which thread " +
            std::to_string(before.thread) + " " + past + " (" + text_of(before.site) + ") with no barrier in between",
        site);
}

void RaceShadow::note(const Block& block, const Region& region, const void* address, std::size_t bytes, Access access,
                      const Site& site) {
  const Range range = cells_of(region, address, bytes);
  const unsigned me = block.running();
  const Stamp now{block.race_clock().epoch(), block.race_clock().clock(me), static_cast<std::uint16_t>(me), access,
                  site};
  for (std::size_t i = range.first; i < range.end; ++i) {
    Cell& cell = cells_[i];
    const void* at = region.begin + i * granule_;
    if (cell.flight.epoch != 0) {
      fault(FaultKind::in_flight,
            std::string(verb(access)) + " " + element_text(region, at) + ", to which thread " +
                std::to_string(cell.flight.thread) + " copies (" + text_of(cell.flight.site) +
                ") and has not waited for it",
            site);
    }
    if (is_race(block, cell.write, access)) report(region, at, cell.write, access, site);
    if (access == Access::load) {
      keep_read(cell, now);
      continue;
    }
    for (const Stamp* read : {&cell.read, &cell.read_in_warp, &cell.read_elsewhere}) {
      if (is_race(block, *read, access)) report(region, at, *read, access, site);
    }
    cell.write = now;
  }
}

void RaceShadow::begin_flight(const Block& block, const Region& region, const void* address, std::size_t bytes,
                              const Site& site) {
  note(block, region, address, bytes, Access::store, site);
  const Range range = cells_of(region, address, bytes);
  for (std::size_t i = range.first; i < range.end; ++i) cells_[i].flight = cells_[i].write;
}

void RaceShadow::end_flight(const Region& region, const void* address, std::size_t bytes) {
  const Range range = cells_of(region, address, bytes);
  for (std::size_t i = range.first; i < range.end; ++i) cells_[i].flight = {};
}

}  // namespace kvarium::cuda::emulator
