#include "cuda/simt/emulator/access.h"

#include <cstring>

#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/race_shadow.h"
#include "cuda/simt/emulator/sanitizers.h"

namespace kvarium::cuda::emulator {
namespace {

/// Of the first byte: negative before the region.
long long element_of(const Region& region, const void* address) {
  const long long offset = static_cast<const std::byte*>(address) - region.begin;
  const auto size = static_cast<long long>(region.element_bytes);
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

bool is_inside(const Region& region, const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(region.begin);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= begin && at - begin <= region.bytes && bytes <= region.bytes - (at - begin);
}

bool is_written(const Region& region, const void* address, std::size_t bytes) {
  const Unseen unseen;
  const std::uint8_t* written = region.written.get() + region.offset_of(address);
  return std::memchr(written, 0, bytes) == nullptr;
}

void check_written(const Region& region, const void* address, std::size_t bytes, Access access, const Site& site) {
  if (region.written == nullptr || is_written(region, address, bytes)) return;
  fault(FaultKind::uninitialised,
        std::string(verb(access)) + " " + element_text(region, address) + ", where nothing was written", site);
}

}  // namespace

void mark_written(Region& region, const void* address, std::size_t bytes) {
  if (region.written == nullptr) return;
  const Unseen unseen;
  std::memset(region.written.get() + region.offset_of(address), 1, bytes);
}

const char* verb(Access access) {
  switch (access) {
    case Access::load:
      return "reads";
    case Access::store:
      return "writes";
    case Access::atomic:
      return "atomically changes";
  }
  return "";
}

std::string element_text(const Region& region, const void* address) {
  return "element " + std::to_string(element_of(region, address)) + " of " + region.name;
}

void check_place(const Region* region, const void* address, std::size_t bytes, std::size_t alignment, Access access,
                 const Site& site) {
  const std::string does = verb(access);
  if (region == nullptr) fault(FaultKind::bounds, does + " through a null pointer", site);
  if (Block::current() == nullptr) {
    fault(FaultKind::bounds, "the host " + does + " " + region->name + ", which is memory of the device", site);
  }
  if (!is_inside(*region, address, bytes)) {
    fault(FaultKind::bounds,
          does + " " + element_text(*region, address) + ", which has " + std::to_string(region->num_elements()), site);
  }
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    fault(FaultKind::alignment,
          does + " " + std::to_string(bytes) + " bytes at once from " + element_text(*region, address) +
              ", whose address is no multiple of " + std::to_string(alignment),
          site);
  }
}

void check_access(Region* region, const void* address, std::size_t bytes, std::size_t alignment, Access access,
                  const Site& site) {
  check_place(region, address, bytes, alignment, access, site);
  Block& block = *Block::current();
  if (region->shadow != nullptr) region->shadow->note(block, *region, address, bytes, access, site);
  if (access != Access::store) check_written(*region, address, bytes, access, site);
  if (access != Access::load) mark_written(*region, address, bytes);
  if (AccessLog* log = block.launch().options.log) log->note(block, *region, address, bytes, access, site);
}

void index_fault(const Region& region, long long index, std::size_t extent, const Site& site) {
  fault(FaultKind::bounds,
        "index " + std::to_string(index) + " of " + region.name + ", where " + std::to_string(extent) + " are declared",
        site);
}

}  // namespace kvarium::cuda::emulator
