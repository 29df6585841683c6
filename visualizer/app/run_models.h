#pragma once
// The models of the runs that are shown: what a run's tokens can be computed again with.

#include <memory>
#include <optional>
#include <utility>

#include "core/model_shape.h"

namespace kvarium::cpu {
struct Model;
}

namespace kvarium::ui {

class RunModels {
 public:
  /// A model that was opened from a file.
  void keep(std::shared_ptr<const cpu::Model> model) { opened_ = std::move(model); }
  /// The model of this shape, name included: the opened one, or one that comes with Kvarium. nullptr when there is
  /// none.
  std::shared_ptr<const cpu::Model> find(const ModelShape& shape);

 private:
  std::shared_ptr<const cpu::Model> opened_, shipped_;
  std::optional<ModelShape> shipped_for_;  ///< the last shape that shipped_ was looked for: the window asks each frame
};

}  // namespace kvarium::ui
