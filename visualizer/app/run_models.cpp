#include "visualizer/app/run_models.h"

#include "core/error.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/model_choice.h"

namespace kvarium::ui {
namespace {

constexpr std::uint32_t kMostLayers = 16;  // a recording may say anything

std::shared_ptr<const cpu::Model> builtin_of(const ModelShape& shape) {
  if (shape.kv_heads == 0 || shape.layers > kMostLayers || shape.query_heads % shape.kv_heads != 0) return nullptr;
  try {
    auto model = builtin_choice({shape.layers, shape.query_heads, shape.kv_heads}).model;
    return model->config.shape == shape ? model : nullptr;
  } catch (const InputError&) {
    return nullptr;  // no built-in model has so many heads
  }
}

}  // namespace

std::shared_ptr<const cpu::Model> RunModels::find(const ModelShape& shape) {
  if (opened_ && opened_->config.shape == shape) return opened_;
  if (shape.name != "built-in") return nullptr;
  if (builtin_for_ != shape) builtin_ = builtin_of(shape);
  builtin_for_ = shape;
  return builtin_;
}

}  // namespace kvarium::ui
