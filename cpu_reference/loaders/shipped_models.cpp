#include "cpu_reference/loaders/shipped_models.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium::cpu {

const std::vector<std::string_view>& shipped_model_names() {
  static const std::vector<std::string_view> kNames = {"tales-target", "tales-draft", "tales-one", "tales-mha",
                                                       "tales-gqa",    "tales-mqa",   "tales-mla"};
  return kNames;
}

std::filesystem::path shipped_models_folder() {
  const char* named = std::getenv("KVARIUM_MODELS");
  return named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                            : std::filesystem::path(KVARIUM_SHIPPED_MODELS);
}

std::filesystem::path shipped_model_path(std::string_view name) {
  std::filesystem::path folder = shipped_models_folder() / name;
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(
        tr_format("the model {} is not at {}: set KVARIUM_MODELS to the folder cpu_reference/models of "
                  "Kvarium's source, or give a model with --model",
                  name, folder.string()));
  }
  return folder;
}

const OpenedModel& shipped_model(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, OpenedModel> opened;
  const std::filesystem::path folder = shipped_model_path(name);
  const std::lock_guard lock(mutex);
  const auto known = opened.find(folder);
  if (known != opened.end()) return known->second;
  return opened.emplace(folder, open_model(folder, {}, CancelToken{}).value()).first->second;
}

}  // namespace kvarium::cpu
