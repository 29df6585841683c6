#include "cuda/runner/kernel_runner.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

std::unique_ptr<ModelRunner> make_kernel_runner(PlainModel model, NumberType type) {
  switch (type) {
    case NumberType::f16:
      return std::make_unique<KernelRunner<f16>>(std::move(model));
    case NumberType::bf16:
      return std::make_unique<KernelRunner<bf16>>(std::move(model));
    default:
      return std::make_unique<KernelRunner<float>>(std::move(model));
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
