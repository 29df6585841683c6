#include "core/faults/faulty_release.h"

#include <vector>

#include "core/error.h"

namespace kvarium {

void release_with(Fault fault, BlockTable& table) {
  if (fault != Fault::tail_block_leak && fault != Fault::double_free)
    throw MisuseError("this is no fault of a release");
  BlockPool& pool = table.pool();
  std::vector<BlockId> blocks = table.forget_blocks();
  if (fault == Fault::tail_block_leak && !blocks.empty()) blocks.pop_back();
  for (; !blocks.empty(); blocks.pop_back()) {
    pool.release(table.request(), blocks.back());
    const bool twice = fault == Fault::double_free && pool.ref_count(blocks.back()) > 0;
    if (twice) pool.release(table.request(), blocks.back());
  }
}

}  // namespace kvarium
