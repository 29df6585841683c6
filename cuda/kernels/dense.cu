// The kernels of a layer's dense and pointwise parts, and of the quantized cache: what nvcc compiles.

#include "cuda/kernels/embed.cuh"
#include "cuda/kernels/linear.cuh"
#include "cuda/kernels/quantize_keys.cuh"
#include "cuda/kernels/quantize_kv.cuh"
#include "cuda/kernels/rope.cuh"
#include "cuda/kernels/swiglu.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE_QUANTIZED(T, Code)                                                                   \
  template void quantize_kv<T, Code>(QuantizeKvRung, Stream&, const QuantizeKv<T, Code>&, int, const KvLayout&); \
  template void quantize_keys<T, Code>(QuantizeKeysRung, Stream&, const QuantizeKeys<T, Code>&,                  \
                                       const std::vector<BlockPair>&, DeviceBuffer<BlockPair>&);

#define KVARIUM_INSTANTIATE(T)                                                                \
  template void rope<T>(RopeRung, Stream&, const RopeRows<T>&, const RopeAngles&, RopePairs); \
  template void swiglu<T>(ActivateRung, Stream&, gptr<T>, gptr<const T>, long long);          \
  template void gelu<T>(ActivateRung, Stream&, gptr<T>, long long);                           \
  template void embed<T>(EmbedRung, Stream&, const Embedding<T>&);                            \
  template void linear<T, T>(LinearRung, Stream&, const Linear<T, T>&);                       \
  KVARIUM_INSTANTIATE_QUANTIZED(T, e4m3)                                                      \
  KVARIUM_INSTANTIATE_QUANTIZED(T, i8)                                                        \
  KVARIUM_INSTANTIATE_QUANTIZED(T, i4x2)
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)
template void linear<f16, float>(LinearRung, Stream&, const Linear<f16, float>&);
template void linear<bf16, float>(LinearRung, Stream&, const Linear<bf16, float>&);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
