// The attention kernels, for every type of number: what nvcc compiles.

#include "cuda/kernels/attention_decode.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE(T) \
  template void attention_decode<T>(AttentionDecodeRung, Stream&, const AttentionDecode<T>&);
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
