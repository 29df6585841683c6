#include "visualizer/app/model_files.h"

#include <algorithm>
#include <system_error>

#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium::ui {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostEntries = 5000;

bool may_be_model(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".gguf" || extension == ".bin" || extension == ".safetensors";
}

/// Nothing for what cannot be opened as a model or entered.
std::optional<FolderEntry> entry_of(const fs::directory_entry& found) {
  std::error_code error;
  FolderEntry entry;
  entry.name = found.path().filename().string();
  if (entry.name.empty() || entry.name.front() == '.') return std::nullopt;
  entry.is_folder = found.is_directory(error);
  entry.is_model = entry.is_folder ? fs::exists(found.path() / "config.json", error) : may_be_model(found.path());
  if (!entry.is_folder && !entry.is_model) return std::nullopt;
  if (!entry.is_folder) {
    const std::uintmax_t bytes = found.file_size(error);
    entry.bytes = error ? 0 : bytes;
  }
  return entry;
}

}  // namespace

fs::path folder_of(const std::string& typed) {
  std::error_code error;
  if (typed.empty()) return fs::current_path(error);
  const fs::path path(typed);
  if (fs::is_directory(path, error)) return path;
  return path.has_parent_path() ? path.parent_path() : fs::current_path(error);
}

FolderListing list_models(const fs::path& folder) {
  FolderListing listing;
  listing.folder = folder.string();
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator() && listing.entries.size() < kMostEntries; at.increment(error)) {
    if (auto entry = entry_of(*at)) listing.entries.push_back(std::move(*entry));
  }
  if (error) listing.error = tr_format("cannot read the folder {}: {}", printable(listing.folder), error.message());
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
  });
  return listing;
}

}  // namespace kvarium::ui
