#pragma once
// What of a folder can be opened as a model.

#include <filesystem>

#include "visualizer/panels/model_dialog.h"

namespace kvarium::ui {

/// The folder that a path lies in while it is being typed: itself when it is one. The current one for an empty path.
std::filesystem::path folder_of(const std::string& typed);

/// Folders, and files that may hold a model, by name, folders first. A folder that cannot be read has an error.
FolderListing list_models(const std::filesystem::path& folder);

}  // namespace kvarium::ui
