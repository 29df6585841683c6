// Every kernel, for every type of number: what nvcc compiles.

#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/kernels/store_kv.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE(T)                                                                                  \
  template void rms_norm<T>(RmsNormRung, Stream&, gptr<const T>, gptr<const T>, float, gptr<T>, int, int, int); \
  template void store_kv<T>(StoreKvRung, Stream&, const StoreKv<T>&, int, const KvLayout&);                     \
  template void copy_blocks<T>(CopyBlocksRung, Stream&, const CacheOfLayers<T>&, const std::vector<BlockPair>&, \
                               DeviceBuffer<BlockPair>&);
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
