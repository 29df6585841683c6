// From logits to tokens: what nvcc compiles.

#include "cuda/kernels/sampling.cuh"

#include "cuda/kernels/softmax.cuh"
#include "cuda/kernels/verify_draft.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#define KVARIUM_INSTANTIATE(T)                                                             \
  template void softmax<T>(SoftmaxRung, Stream&, gptr<const T>, gptr<T>, float, int, int); \
  template void argmax<T>(ArgmaxRung, Stream&, gptr<const T>, gptr<int>, int, int);        \
  template void sample<T>(Stream&, gptr<const T>, gptr<const SampleParams>, gptr<int>, int, int);
KVARIUM_INSTANTIATE(float)
KVARIUM_INSTANTIATE(f16)
KVARIUM_INSTANTIATE(bf16)
template void verify_draft<float>(VerifyRung, Stream&, const VerifyDraft<float>&);
template void verify_draft<double>(VerifyRung, Stream&, const VerifyDraft<double>&);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
