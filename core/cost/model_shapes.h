#pragma once
// The shapes of well-known models, as their authors published them.

#include <string_view>
#include <vector>

#include "core/model_shape.h"

namespace kvarium {

/// All known shapes, family by family, small to large. Names like "llama-2-70b".
const std::vector<ModelShape>& model_shapes();

/// By name; case, spaces and punctuation do not matter. InputError that suggests near names when there is none.
const ModelShape& find_model_shape(std::string_view name);

}  // namespace kvarium
