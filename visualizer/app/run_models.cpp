#include "visualizer/app/run_models.h"

#include <algorithm>

#include "core/error.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::ui {
namespace {

std::shared_ptr<const cpu::Model> shipped_of(const ModelShape& shape) {
  const auto& names = cpu::shipped_model_names();
  if (std::find(names.begin(), names.end(), shape.name) == names.end()) return nullptr;
  try {
    const std::shared_ptr<const cpu::Model> model = cpu::shipped_model(shape.name).model;
    return model->config.shape == shape ? model : nullptr;
  } catch (const InputError&) {
    return nullptr;  // the folder of the models is not here
  }
}

}  // namespace

std::shared_ptr<const cpu::Model> RunModels::find(const ModelShape& shape) {
  if (opened_ && opened_->config.shape == shape) return opened_;
  if (shipped_for_ != shape) shipped_ = shipped_of(shape);
  shipped_for_ = shape;
  return shipped_;
}

}  // namespace kvarium::ui
