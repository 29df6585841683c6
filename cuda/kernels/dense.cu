// The kernels of a layer's dense and pointwise parts, and of the quantized cache: what nvcc compiles.

#include "cuda/kernels/linear.cuh"
#include "cuda/kernels/quantize_kv.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE_QUANTIZED(T, Code) \
  template void quantize_kv<T, Code>(QuantizeKvRung, Stream&, const QuantizeKv<T, Code>&, int, const KvLayout&);

#define KVARIUM_INSTANTIATE(T)                                          \
  template void linear<T, T>(LinearRung, Stream&, const Linear<T, T>&); \
  KVARIUM_INSTANTIATE_QUANTIZED(T, e4m3)                                \
  KVARIUM_INSTANTIATE_QUANTIZED(T, i8)                                  \
  KVARIUM_INSTANTIATE_QUANTIZED(T, i4x2)
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)
template void linear<f16, float>(LinearRung, Stream&, const Linear<f16, float>&);
template void linear<bf16, float>(LinearRung, Stream&, const Linear<bf16, float>&);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
