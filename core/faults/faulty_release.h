#pragma once
// Two mistakes of the bug zoo when a request gives its blocks back.

#include "core/blocks/block_table.h"
#include "core/faults/fault.h"

namespace kvarium {

/// As table.release(), with Fault::tail_block_leak or Fault::double_free.
void release_with(Fault fault, BlockTable& table);

}  // namespace kvarium
