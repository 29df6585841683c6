#include "cuda/simt/emulator/shared_memory.h"

#include <cstring>
#include <new>
#include <string>

#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/race_shadow.h"
#include "cuda/simt/emulator/sanitizers.h"

namespace kvarium::cuda::emulator {
namespace {

constexpr std::align_val_t kAlignment{128};
constexpr std::size_t kMostArrays = 64;

}  // namespace

struct SharedMemory::Array {
  const void* key = nullptr;
  Region region;

  Array(const void* key_of_array, const char* name, std::size_t bytes, std::size_t element_bytes,
        const Emulation& options)
      : key(key_of_array) {
    region.name = name;
    region.space = Space::shared;
    region.begin = static_cast<std::byte*>(::operator new(bytes, kAlignment));
    region.bytes = bytes;
    region.element_bytes = element_bytes;
    if (options.check_initialised) region.written = std::make_unique<std::uint8_t[]>(bytes);
    if (options.check_races) region.shadow = std::make_shared<RaceShadow>(bytes, element_bytes);
    poison();
  }
  ~Array() { ::operator delete(region.begin, kAlignment); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  void poison() const {
    std::memset(region.begin, 0xFF, region.bytes);
    if (region.written != nullptr) std::memset(region.written.get(), 0, region.bytes);
  }
};

SharedMemory::SharedMemory(std::size_t dynamic_bytes, const Emulation& options)
    : dynamic_bytes_(dynamic_bytes), options_(options) {
  arrays_.reserve(kMostArrays);
}

SharedMemory::~SharedMemory() = default;

void SharedMemory::begin_block() {
#if defined(SIMT_TSAN)
  // Each block has its own, or its threads would seem to race with those of the block before.
  for (auto& array : arrays_) retired_.push_back(std::move(array));
  arrays_.clear();
#else
  for (auto& array : arrays_) array->poison();
#endif
}

Region& SharedMemory::array(const void* key, const char* name, std::size_t bytes, std::size_t element_bytes) {
  for (auto& array : arrays_) {
    if (array->key == key) return array->region;
  }
  const Unseen unseen;
  std::size_t static_bytes = key == nullptr ? 0 : bytes;
  for (auto& array : arrays_) static_bytes += array->key == nullptr ? 0 : array->region.bytes;
  if (static_bytes > kMostStaticSharedBytes || static_bytes + dynamic_bytes_ > kMostSharedBytes ||
      arrays_.size() == kMostArrays) {
    throw KernelFault(FaultKind::shared_memory,
                      "with " + std::string(name) + " a block uses " + std::to_string(static_bytes) +
                          " bytes of static and " + std::to_string(dynamic_bytes_) +
                          " of dynamic shared memory; the most are " + std::to_string(kMostStaticSharedBytes) +
                          " and " + std::to_string(kMostSharedBytes) + " in all");
  }
  arrays_.push_back(std::make_unique<Array>(key, name, bytes, element_bytes, options_));
  return arrays_.back()->region;
}

Region& SharedMemory::dynamic(const char* name, std::size_t element_bytes) {
  return array(nullptr, name, dynamic_bytes_, element_bytes);
}

std::vector<const Region*> SharedMemory::regions() const {
  std::vector<const Region*> all;
  for (const auto& array : arrays_) all.push_back(&array->region);
  return all;
}

}  // namespace kvarium::cuda::emulator
