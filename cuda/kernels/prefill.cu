// attention_prefill, for every type of number: what nvcc compiles.

#include "cuda/kernels/attention_prefill.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template void attention_prefill<float>(PrefillRung, Stream&, const AttentionPrefill<float>&);
template void attention_prefill<f16>(PrefillRung, Stream&, const AttentionPrefill<f16>&);
template void attention_prefill<bf16>(PrefillRung, Stream&, const AttentionPrefill<bf16>&);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
