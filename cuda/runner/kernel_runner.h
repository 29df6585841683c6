#pragma once
// The engine's ModelRunner over the kernels. It knows nothing of who runs them: a device, or the emulator.

#include <cstdint>
#include <memory>

#include "core/model_runner.h"
#include "cuda/runner/plain_model.h"
#include "cuda/simt/backend.h"

namespace kvarium::cuda {

/// What weights, activations and the cache are made of. Sums are in float.
enum class NumberType : std::uint8_t { f32, f16, bf16 };

inline namespace SIMT_BACKEND {

/// Keeps the weights in the memory of the device. InputError for heads of a width that no kernel takes;
/// OutOfDeviceMemory when they do not fit, from create_cache() likewise.
std::unique_ptr<ModelRunner> make_kernel_runner(PlainModel model, NumberType type);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
