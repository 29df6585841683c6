#pragma once
// The shared memory of a block: its arrays, each in a piece of memory of exactly its size, filled with 0xFF when a
// block begins (a NaN as f32, f16, bf16 and E4M3), so that nothing of the block before can be taken for one's own.

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/simt/emulator/options.h"
#include "cuda/simt/emulator/region.h"

namespace kvarium::cuda::emulator {

/// Of an H200 (sm_90): CUDA C++ Programming Guide, table of technical specifications.
inline constexpr std::size_t kMostSharedBytes = std::size_t{227} << 10U;
inline constexpr std::size_t kMostStaticSharedBytes = std::size_t{48} << 10U;

class SharedMemory {
 public:
  SharedMemory(std::size_t dynamic_bytes, const Emulation& options);
  ~SharedMemory();

  void begin_block();

  /// The array that `key` (null: the dynamic one) stands for: the same for all threads of the block. Made when the
  /// first of them asks.
  Region& array(const void* key, const char* name, std::size_t bytes, std::size_t element_bytes);
  Region& dynamic(const char* name, std::size_t element_bytes);

  /// Arrays of this block, in the order in which they were first named.
  std::vector<const Region*> regions() const;

 private:
  struct Array;

  std::size_t dynamic_bytes_;
  Emulation options_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<std::unique_ptr<Array>> retired_;  ///< of earlier blocks
};

}  // namespace kvarium::cuda::emulator
