#pragma once
// One function a kernel; catalogue.cpp puts them in order.

#include "cuda/demos/demo.h"

namespace kvarium::cuda::demos {

Kernel attention_decode_demos();
Kernel attention_mla_demos();
Kernel attention_prefill_demos();
Kernel copy_blocks_demos();
Kernel embed_demos();
Kernel linear_demos();
Kernel quantize_kv_demos();
Kernel rms_norm_demos();
Kernel rope_demos();
Kernel sampling_demos();
Kernel softmax_demos();
Kernel store_kv_demos();
Kernel swiglu_demos();
Kernel verify_draft_demos();

}  // namespace kvarium::cuda::demos
