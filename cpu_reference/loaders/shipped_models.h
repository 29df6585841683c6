#pragma once
// The small models that come with Kvarium, by name: cpu_reference/models in the source, each a Hugging Face folder.

#include <filesystem>
#include <string_view>
#include <vector>

#include "cpu_reference/loaders/open_model.h"

namespace kvarium::cpu {

/// "tales-target" and its siblings.
const std::vector<std::string_view>& shipped_model_names();

/// The folder of the shipped models: what the environment variable KVARIUM_MODELS says, otherwise that of the source.
std::filesystem::path shipped_models_folder();

/// The folder of one of them. InputError that says where it was looked for when it is not there.
std::filesystem::path shipped_model_path(std::string_view name);

/// Opened once in a process and then shared. InputError as shipped_model_path(), and as open_model()
/// when it cannot be read. Safe to call from several threads.
const OpenedModel& shipped_model(std::string_view name);

}  // namespace kvarium::cpu
