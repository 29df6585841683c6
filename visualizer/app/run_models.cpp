#include "visualizer/app/run_models.h"

#include <algorithm>

#include "core/error.h"
#include "cpu_reference/loaders/shipped_models.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::ui {

std::shared_ptr<const cpu::Model> RunModels::find(const ModelShape& shape) const {
  if (opened_ && opened_->config.shape == shape) return opened_;
  const auto& names = cpu::shipped_model_names();
  if (std::find(names.begin(), names.end(), shape.name) == names.end()) return nullptr;
  try {
    const std::shared_ptr<const cpu::Model> model = cpu::shipped_model(shape.name).model;
    return model->config.shape == shape ? model : nullptr;
  } catch (const InputError&) {
    return nullptr;  // the folder of the models is not here
  }
}

}  // namespace kvarium::ui
