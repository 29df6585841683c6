#pragma once
// Open a model: a path is typed or chosen from a folder's list; then what was read is told.

#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool is_model = false;    ///< of a folder: config.json lies in it
  std::uint64_t bytes = 0;  ///< of a file
};

struct FolderListing {
  std::string folder;
  std::vector<FolderEntry> entries;
  std::string error;  ///< why it could not be read; empty: it could
};

struct ModelDialog {
  bool open = false;
  bool just_opened = false;
  std::string path;       ///< as it is typed
  FolderListing listing;  ///< of the folder that the path lies in
  bool reading = false;
  Progress progress;               ///< of that, bytes
  std::string error;               ///< why the last one could not be opened
  std::vector<std::string> facts;  ///< of the one that was: a line each

  void show() {
    open = just_opened = true;
    error.clear();
    facts.clear();
  }
};

/// "Reading stories.gguf: 45 %"
std::string reading_words(const std::string& path, const Progress& progress);

void draw_model_dialog(PanelContext& context, ModelDialog& dialog);

}  // namespace kvarium::ui
