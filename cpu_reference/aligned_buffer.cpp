#include "cpu_reference/aligned_buffer.h"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

/// Bytes that can be used without driving other programs out: Linux says so itself; elsewhere all physical memory.
std::uint64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (meminfo >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(meminfo, unit);
  }
  if (const std::uint64_t all = machine_memory(); all > 0) return all;
  return std::uint64_t{1} << 32;  // unknown: 4 GiB
}

[[noreturn]] void fail_too_large(std::string_view what, std::uint64_t bytes) {
  throw InputError(tr_format("{} needs {:.1f} MiB of memory and {:.1f} MiB are free: choose a smaller one", what,
                             static_cast<double>(bytes) / 1048576.0,
                             static_cast<double>(available_memory()) / 1048576.0));
}

}  // namespace

std::uint64_t machine_memory() {
#if defined(_SC_PHYS_PAGES)
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_size > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
#endif
  return 0;
}

std::uint64_t checked_product(std::initializer_list<std::uint64_t> factors, std::string_view what) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (factor != 0 && product > std::numeric_limits<std::uint64_t>::max() / factor) {
      throw InputError(tr_format("{} is larger than any machine's memory: choose a smaller one", what));
    }
    product *= factor;
  }
  return product;
}

AlignedBuffer::AlignedBuffer(std::uint64_t count, float fill, std::string_view what) : size_(count) {
  const std::uint64_t bytes = checked_product({count, sizeof(float)}, what);
  // Asked before the allocation: where the system hands out memory that it does not have, the allocation succeeds
  // and the program is killed at the first touch.
  if (bytes > available_memory()) fail_too_large(what, bytes);
  void* memory = ::operator new[](bytes, std::align_val_t{kAlignment}, std::nothrow);
  if (memory == nullptr) fail_too_large(what, bytes);
  data_.reset(static_cast<float*>(memory));
  std::fill_n(data_.get(), count, fill);
}

void AlignedBuffer::Free::operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{kAlignment}); }

}  // namespace kvarium::cpu
