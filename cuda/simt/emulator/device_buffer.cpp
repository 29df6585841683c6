#include "cuda/simt/emulator/device_buffer.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "core/error.h"
#include "cuda/simt/emulator/options.h"
#include "cuda/simt/out_of_device_memory.h"

namespace kvarium::cuda::emulator {
namespace {

constexpr std::align_val_t kAlignment{256};  // as cudaMalloc gives it
std::atomic<std::size_t> bytes_in_use{0};
std::atomic<std::size_t> most_bytes{std::numeric_limits<std::size_t>::max()};

/// Reserves bytes, or throws with nothing reserved.
void reserve(std::size_t bytes, const std::string& name) {
  std::size_t used = bytes_in_use.load();
  do {
    const std::size_t most = most_bytes.load();
    if (used > most || bytes > most - used) {
      throw OutOfDeviceMemory("out of device memory: " + name + " needs " + std::to_string(bytes) + " bytes, " +
                              std::to_string(used > most ? 0 : most - used) + " of " + std::to_string(most) +
                              " are free");
    }
  } while (!bytes_in_use.compare_exchange_weak(used, used + bytes));
}

}  // namespace

Allocation::Allocation(std::size_t count, std::size_t element_bytes, const char* name) {
  if (count > std::numeric_limits<std::size_t>::max() / 2 / element_bytes) {
    throw OutOfDeviceMemory("out of device memory: " + std::string(name) + " needs " + std::to_string(count) +
                            " elements of " + std::to_string(element_bytes) + " bytes");
  }
  region_.name = name;
  region_.bytes = count * element_bytes;
  region_.element_bytes = element_bytes;
  reserve(region_.bytes, region_.name);
  try {
    region_.begin = static_cast<std::byte*>(::operator new(region_.bytes, kAlignment));
    if (emulation().check_initialised) region_.written = std::make_unique<std::uint8_t[]>(region_.bytes);
  } catch (const std::bad_alloc&) {
    if (region_.begin != nullptr) ::operator delete(region_.begin, kAlignment);
    bytes_in_use -= region_.bytes;
    throw OutOfDeviceMemory("out of memory: the emulator has no " + std::to_string(region_.bytes) + " bytes for " +
                            region_.name);
  }
  std::memset(region_.begin, 0xFF, region_.bytes);
}

Allocation::~Allocation() {
  ::operator delete(region_.begin, kAlignment);
  bytes_in_use -= region_.bytes;
}

void Allocation::check_range(std::size_t offset, std::size_t bytes, const char* verb) const {
  if (offset <= region_.bytes && bytes <= region_.bytes - offset) return;
  throw MisuseError("a copy " + std::string(verb) + " bytes " + std::to_string(offset) + " to " +
                    std::to_string(offset + bytes) + " of " + region_.name + ", which has " +
                    std::to_string(region_.bytes));
}

void Allocation::write(std::size_t offset, const void* from, std::size_t bytes) {
  check_range(offset, bytes, "writes");
  if (bytes == 0) return;
  std::memcpy(region_.begin + offset, from, bytes);
  mark_written(region_, region_.begin + offset, bytes);
}

void Allocation::read(std::size_t offset, void* to, std::size_t bytes) const {
  check_range(offset, bytes, "reads");
  if (bytes != 0) std::memcpy(to, region_.begin + offset, bytes);
}

void Allocation::zero() {
  std::memset(region_.begin, 0, region_.bytes);
  mark_written(region_, region_.begin, region_.bytes);
}

}  // namespace kvarium::cuda::emulator

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

std::size_t device_bytes_in_use() { return emulator::bytes_in_use; }
void set_device_bytes(std::size_t most) { emulator::most_bytes = most; }

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
