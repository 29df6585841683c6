#pragma once
// Every access of a kernel passes here before it happens.

#include <cstddef>

#include "cuda/simt/emulator/region.h"
#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

enum class Access : std::uint8_t { load, store, atomic };

/// "reads", "writes", "atomically changes"
const char* verb(Access access);

/// "element 3 of tile"
std::string element_text(const Region& region, const void* address);

/// Looks whether the running thread may touch [address, address + bytes), and keeps what the checks need to know.
/// KernelFault: bounds, alignment, uninitialised, race, in_flight.
void check_access(Region* region, const void* address, std::size_t bytes, std::size_t alignment, Access access,
                  const Site& site);

/// The first half of it: KernelFault for bounds and alignment.
void check_place(const Region* region, const void* address, std::size_t bytes, std::size_t alignment, Access access,
                 const Site& site);

/// An index that names an element of an array that is not there.
[[noreturn]] void index_fault(const Region& region, long long index, std::size_t extent, const Site& site);

}  // namespace kvarium::cuda::emulator
