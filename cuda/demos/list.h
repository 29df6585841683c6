#pragma once
// One function a kernel; catalogue.cpp puts them in order.

#include "cuda/demos/demo.h"

namespace kvarium::cuda::demos {

Kernel attention_decode_demos();
Kernel copy_blocks_demos();
Kernel linear_demos();
Kernel rms_norm_demos();
Kernel store_kv_demos();

}  // namespace kvarium::cuda::demos
