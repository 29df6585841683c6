#pragma once
// Words for blocks, threads and what they wait for.

#include <string>

namespace kvarium::cuda::emulator {

class Block;

/// "block 2", or "block (2, 1, 0)" when the grid has more than one dimension
std::string block_text(const Block& block);

/// "block 2, thread 7", or "block 2, thread 7 (3, 1, 0)" when the block has more than one dimension
std::string thread_text(const Block& block, unsigned thread);

}  // namespace kvarium::cuda::emulator
