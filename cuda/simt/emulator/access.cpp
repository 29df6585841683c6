#include "cuda/simt/emulator/access.h"

#include <cstring>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"

namespace kvarium::cuda::emulator {
namespace {

std::string verb(Access access) {
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

/// Of the first byte: negative before the region.
long long element_of(const Region& region, const void* address) {
  const long long offset = static_cast<const std::byte*>(address) - region.begin;
  const auto size = static_cast<long long>(region.element_bytes);
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

std::string element_text(const Region& region, const void* address) {
  return "element " + std::to_string(element_of(region, address)) + " of " + region.name;
}

bool is_inside(const Region& region, const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(region.begin);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= begin && at - begin <= region.bytes && bytes <= region.bytes - (at - begin);
}

bool is_written(const Region& region, const void* address, std::size_t bytes) {
  const std::uint8_t* written = region.written.get() + (static_cast<const std::byte*>(address) - region.begin);
  return std::memchr(written, 0, bytes) == nullptr;
}

}  // namespace

void mark_written(Region& region, const void* address, std::size_t bytes) {
  if (region.written == nullptr) return;
  std::memset(region.written.get() + (static_cast<const std::byte*>(address) - region.begin), 1, bytes);
}

void check_access(Region* region, const void* address, std::size_t bytes, Access access, const Site& site) {
  if (region == nullptr) fault(FaultKind::bounds, verb(access) + " through a null pointer", site);
  if (Block::current() == nullptr) {
    fault(FaultKind::bounds, "the host " + verb(access) + " " + region->name + ", which is memory of the device", site);
  }
  if (!is_inside(*region, address, bytes)) {
    fault(FaultKind::bounds,
          verb(access) + " " + element_text(*region, address) + ", which has " + std::to_string(region->num_elements()),
          site);
  }
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
    fault(FaultKind::alignment,
          verb(access) + " " + std::to_string(bytes) + " bytes at once from " + element_text(*region, address) +
              ", whose address is no multiple of " + std::to_string(bytes),
          site);
  }
  if (region->written == nullptr) return;
  if (access != Access::store && !is_written(*region, address, bytes)) {
    fault(FaultKind::uninitialised, verb(access) + " " + element_text(*region, address) + ", where nothing was written",
          site);
  }
  if (access != Access::load) mark_written(*region, address, bytes);
}

void index_fault(const Region& region, long long index, std::size_t extent, const Site& site) {
  fault(FaultKind::bounds,
        "index " + std::to_string(index) + " of " + region.name + ", where " + std::to_string(extent) + " are declared",
        site);
}

}  // namespace kvarium::cuda::emulator
