#pragma once
// Computes again, from the tokens alone, what a layer computed for a request: K, V and attention weights are functions
// of the tokens and the weights, so the numbers are those of the run.

#include <cstdint>
#include <memory>
#include <span>

#include "core/probe.h"
#include "visualizer/layout/layer_probe.h"

namespace kvarium {
class ModelRunner;
namespace cpu {
struct Model;
}
}  // namespace kvarium

namespace kvarium::ui {

/// One layer, a cache of its own, tokens in their order.
class LayerProbing {
 public:
  /// Room for so many tokens. InputError when the cache does not fit in memory; MisuseError for a layer that the model
  /// does not have.
  LayerProbing(std::shared_ptr<const cpu::Model> model, std::uint32_t layer, std::uint32_t room);
  ~LayerProbing();
  LayerProbing(const LayerProbing&) = delete;
  LayerProbing& operator=(const LayerProbing&) = delete;

  /// Computes the next tokens: a chunk of a prompt, or one.
  void extend(std::span<const TokenId> tokens);
  /// Of all tokens so far.
  const layout::LayerProbe& numbers() const { return numbers_; }
  std::uint32_t room() const { return room_; }
  const std::shared_ptr<const cpu::Model>& model() const { return model_; }

 private:
  void take(const SequenceProbe& chunk);

  std::shared_ptr<const cpu::Model> model_;
  std::unique_ptr<ModelRunner> runner_;
  std::uint32_t room_;
  StepProbe probe_;
  layout::LayerProbe numbers_;
};

}  // namespace kvarium::ui
