// Attention over quantized caches, for every type of query and of code: what nvcc compiles.

#include "cuda/kernels/attention_decode_quantized.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE(T, Code)                                                                   \
  template void attention_decode_quantized<T, Code>(Stream&, const QuantizedAttentionDecode<T, Code>&, \
                                                    const DecodeParts&);                               \
  template unsigned attention_decode_splits<QuantizedAttentionDecode<T, Code>>(                        \
      const QuantizedAttentionDecode<T, Code>&, unsigned);
#define KVARIUM_INSTANTIATE_CODES(T) \
  KVARIUM_INSTANTIATE(T, e4m3)       \
  KVARIUM_INSTANTIATE(T, i8)         \
  KVARIUM_INSTANTIATE(T, i4x2)
KVARIUM_INSTANTIATE_CODES(float)
KVARIUM_INSTANTIATE_CODES(f16)
KVARIUM_INSTANTIATE_CODES(bf16)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
