#pragma once
// The weights of a model in the memory of the device, all as numbers of T.

#include <optional>
#include <string>
#include <vector>

#include "cuda/runner/plain_model.h"
#include "cuda/simt/host.h"
#include "cuda/simt/numbers.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// One weight, or nothing.
template <typename T>
class DeviceTensor {
 public:
  /// OutOfDeviceMemory.
  DeviceTensor(const Tensor& tensor, const char* name) {
    if (tensor == nullptr) return;
    const std::vector<float> floats = tensor();
    std::vector<T> numbers;
    numbers.reserve(floats.size());
    for (const float number : floats) numbers.push_back(from_float<T>(number));
    buffer_.emplace(numbers, name);
  }

  bool exists() const { return buffer_.has_value(); }
  /// Null when there is none.
  auto ptr() const {
    gptr<const T> begin = nullptr;
    if (buffer_) begin = buffer_->ptr();
    return begin;
  }

 private:
  std::optional<DeviceBuffer<T>> buffer_;
};

/// Shapes as in PlainLayer.
template <typename T>
struct DeviceLayer {
  explicit DeviceLayer(const PlainLayer& layer)
      : attention_norm(layer.attention_norm, "attention_norm"),
        query(layer.query, "query"),
        query_bias(layer.query_bias, "query_bias"),
        key(layer.key, "key"),
        key_bias(layer.key_bias, "key_bias"),
        value(layer.value, "value"),
        value_bias(layer.value_bias, "value_bias"),
        query_norm(layer.query_norm, "query_norm"),
        key_norm(layer.key_norm, "key_norm"),
        query_rotary(layer.query_rotary, "query_rotary"),
        latent_down(layer.latent_down, "latent_down"),
        key_rotary(layer.key_rotary, "key_rotary"),
        latent_norm(layer.latent_norm, "latent_norm"),
        absorb(layer.absorb, "absorb"),
        unpack(layer.unpack, "unpack"),
        output(layer.output, "output"),
        ffn_norm(layer.ffn_norm, "ffn_norm"),
        gate(layer.gate, "gate"),
        up(layer.up, "up"),
        down(layer.down, "down") {}

  DeviceTensor<T> attention_norm;
  DeviceTensor<T> query, query_bias, key, key_bias, value, value_bias, query_norm, key_norm;
  DeviceTensor<T> query_rotary, latent_down, key_rotary, latent_norm, absorb, unpack;
  DeviceTensor<T> output;
  DeviceTensor<T> ffn_norm, gate, up, down;
};

template <typename T>
struct DeviceWeights {
  explicit DeviceWeights(const PlainModel& model)
      : embedding(model.embedding, "embedding"), final_norm(model.final_norm, "final_norm"), head(model.head, "head") {
    for (const PlainLayer& layer : model.layers) layers.emplace_back(layer);
  }

  auto head_or_embedding() const { return head.exists() ? head.ptr() : embedding.ptr(); }

  DeviceTensor<T> embedding, final_norm, head;
  std::vector<DeviceLayer<T>> layers;
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
