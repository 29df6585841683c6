#pragma once
// A piece of memory that kernels may touch: a device buffer, or an array in shared memory. Pointers in a kernel know
// their region, so an access that leaves its own array for another is found as well.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kvarium::cuda::emulator {

enum class Space : std::uint8_t { global, shared };

class RaceShadow;

struct Region {
  std::string name;
  Space space = Space::global;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;            ///< of its declaration, for messages
  std::unique_ptr<std::uint8_t[]> written;  ///< one for each byte: 0 until something is written there. Null: not kept

  std::shared_ptr<RaceShadow> shadow;  ///< who touched what, in shared memory. Null: not kept

  std::size_t num_elements() const { return bytes / element_bytes; }
  /// In bytes; of an address that lies inside.
  std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin);
  }
};

/// Marks [address, address + bytes) of a region as written, by the host or by a kernel.
void mark_written(Region& region, const void* address, std::size_t bytes);

}  // namespace kvarium::cuda::emulator
