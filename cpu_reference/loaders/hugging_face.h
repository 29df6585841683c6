#pragma once
// A model as Hugging Face keeps it: a folder with config.json and the weights as safetensors, in one file or in shards.

#include <filesystem>

#include "cpu_reference/loaders/loaded_model.h"

namespace kvarium::cpu {

/// The model of a folder; `weights` names one .safetensors file of it, empty: model.safetensors or the shards of
/// model.safetensors.index.json. InputError naming the file: whatever read_hf_config(), open_safetensors() and the
/// model's checks refuse, and a tensor that is missing, of another shape or of no use to the architecture.
/// LoadCancelled.
LoadedModel load_hugging_face(const std::filesystem::path& folder, const std::filesystem::path& weights,
                              const OnProgress& on_progress, const CancelToken& cancel);

}  // namespace kvarium::cpu
