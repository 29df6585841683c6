// Tokens of the paged cache, found through block tables.

#include "cuda/kernels/block_table.cuh"

#include <string>
#include <vector>

#include "tests/cuda/emulate.h"
#include "tests/support/catch.h"

using namespace kvarium::cuda;
using kvarium::KvLayout;
using kvarium_test::fault_of;

namespace {

__global__ void find(BlockTables tables, KvLayout layout, unsigned sequence, gptr<unsigned long long> offsets) {
  offsets[threadIdx.x] = row_offset(tables, layout, sequence, threadIdx.x, 1);
}

/// Of the first tokens of a sequence; a cache of 4 blocks of 2 tokens, 2 heads of 8.
std::vector<unsigned long long> offsets(const std::vector<unsigned>& blocks, unsigned sequence, unsigned tokens) {
  const DeviceBuffer<unsigned> on_device(blocks, "block_tables");
  DeviceBuffer<unsigned long long> found(tokens, "found");
  kvarium_test::run(find, 1, tokens, BlockTables{on_device.ptr(), 3, 4}, KvLayout{2, 2, 8}, sequence, found.ptr());
  return found.download();
}

}  // namespace

TEST_CASE("block tables: a token lies in the block that the table of its sequence names") {
  // Head 1 of a token begins at 32 a block + 16 a slot + 8.
  CHECK(offsets({0, 0, 0, 3, 1, 2}, 1, 5) == std::vector<unsigned long long>{104, 120, 40, 56, 72});
}

TEST_CASE("block tables: a block that does not exist, and a table that is too short, are told with the sequence") {
  CHECK(fault_of([] {
          offsets({0, 1, 2, 0, 4, 0}, 1, 3);
        })
            .find("block 0, thread 2: entry 1 of the block table of sequence 1 is block 4; the cache has 4 "
                  "(block_table.cuh:") == 0);
  CHECK(fault_of([] {
          offsets({0, 1, 2, 0, 1, 2}, 0, 7);
        }).find("block 0, thread 6: sequence 0 needs entry 3 of its block table, which has 3 (block_table.cuh:") == 0);
}
