#include <string>

#include "core/error.h"
#include "cuda/simt/emulator/block.h"
#include "cuda/simt/emulator/shared_memory.h"

namespace kvarium::cuda::emulator {
namespace {

std::string size_text(const dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

}  // namespace

void check_limits(const KernelLaunch& launch) {
  constexpr unsigned kMostBlocksX = 0x7FFFFFFFU, kMostBlocksYZ = 65535, kMostThreadsZ = 64;
  const dim3 &grid = launch.grid, &block = launch.block;
  if (block.volume() == 0 || block.volume() > kMostThreads || block.x > kMostThreads || block.y > kMostThreads ||
      block.z > kMostThreadsZ) {
    throw MisuseError("cannot launch blocks of " + size_text(block) +
                      " threads: a block has 1 to 1024, at most 64 of them in z");
  }
  if (grid.volume() == 0 || grid.x > kMostBlocksX || grid.y > kMostBlocksYZ || grid.z > kMostBlocksYZ) {
    throw MisuseError("cannot launch a grid of " + size_text(grid) +
                      " blocks: each size is at least 1, and at most 2147483647 in x, 65535 in y and z");
  }
  if (launch.shared_bytes > kMostSharedBytes) {
    throw MisuseError("cannot launch with " + std::to_string(launch.shared_bytes) +
                      " bytes of shared memory: a block has " + std::to_string(kMostSharedBytes));
  }
}

void run_launch(const KernelLaunch& launch) {
  if (Block::current() != nullptr) throw MisuseError("a kernel cannot launch a kernel here");
  Block block(launch);
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; ++y) {
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        block.begin({x, y, z});
        block.run();
      }
    }
  }
}

}  // namespace kvarium::cuda::emulator
