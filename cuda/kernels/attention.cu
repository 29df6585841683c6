// The attention kernels, for every type of number: what nvcc compiles.

#include "cuda/kernels/attention_decode.cuh"
#include "cuda/kernels/attention_mla.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE(T)                                                                                    \
  template void attention_decode<T>(AttentionDecodeRung, Stream&, const AttentionDecode<T>&, const DecodeParts&); \
  template unsigned attention_decode_splits<AttentionDecode<T>>(const AttentionDecode<T>&, unsigned);             \
  template void attention_mla<T>(AttentionMlaRung, Stream&, const AttentionMla<T>&, const DecodeParts&);          \
  template unsigned attention_mla_splits<T>(const AttentionMla<T>&, unsigned);
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
