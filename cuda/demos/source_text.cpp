#include "cuda/demos/source_text.h"

#include <map>

namespace kvarium::cuda::demos {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

const std::vector<std::string>& source_lines(const emulator::Site& site) {
  static const std::map<std::string_view, std::vector<std::string>> kFiles = [] {
    std::map<std::string_view, std::vector<std::string>> files;
    for (const EmbeddedFile& file : embedded_files()) files.emplace(file.path, split(file.text));
    return files;
  }();
  static const std::vector<std::string> kNone;
  // A compiler names a file by the path that it was given, which may be any that ends like this.
  for (const auto& [path, lines] : kFiles) {
    if (ends_with(site.file, path)) return lines;
  }
  return kNone;
}

}  // namespace kvarium::cuda::demos
