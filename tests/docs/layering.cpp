#include "tests/docs/layering.h"

namespace kvarium_test {
namespace {

/// "file:12: what": the place of every complaint.
std::string at(const TextFile& file, std::size_t line_index, const std::string& what) {
  return file.path + ":" + std::to_string(line_index + 1) + ": " + what;
}

}  // namespace

const std::vector<LayerRule>& layer_rules() {
  static const std::vector<std::string> kEngine = {
      "core/engine",    "core/scheduling/", "core/blocks/block_pool", "core/blocks/block_table", "core/model_runner",
      "cpu_reference/", "lessons/"};
  static const std::string kShowsOnly = "it shows a World and knows no engine";
  static const std::vector<LayerRule> kRules = {
      {"core/",
       {"Eigen/", "unsupported/Eigen", "cuda", "imgui", "backends/imgui", "GLFW/", "cpu_reference/", "lessons/",
        "visualizer/", "tests/"},
       "core knows no matrices, no GPU and no window"},
      {"cpu_reference/",
       {"imgui", "backends/imgui", "GLFW/", "cuda", "lessons/", "visualizer/", "tests/"},
       "the reference model knows nothing of what stands above it"},
      {"cuda/", {"imgui", "GLFW/", "Eigen/", "lessons/", "visualizer/", "tests/"}, "kernels know no window"},
      {"lessons/", {"imgui", "backends/imgui", "GLFW/", "visualizer/", "tests/"}, "a lesson also runs in a terminal"},
      {"visualizer/", {"tests/"}, "a program needs no test"},
      {"visualizer/panels/", kEngine, kShowsOnly},
      {"visualizer/draw/", kEngine, kShowsOnly},
      {"visualizer/layout/", kEngine, kShowsOnly},
      {"visualizer/layout/", {"imgui", "backends/imgui", "GLFW/"}, "geometry is computed without Dear ImGui"},
  };
  return kRules;
}

std::string included_path(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return "";
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return "";
  const std::size_t open = line.find_first_of("\"<", word);
  if (open == std::string::npos) return "";
  const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<std::string> layer_violations(const TextFile& file, const std::vector<LayerRule>& rules) {
  std::vector<std::string> sentences;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string included = included_path(lines[i]);
    if (included.empty()) continue;
    for (const LayerRule& rule : rules) {
      if (!starts_with(file.path, rule.folder)) continue;
      for (const std::string& start : rule.forbidden) {
        if (starts_with(included, start)) sentences.push_back(at(file, i, "includes " + included + ": " + rule.reason));
      }
    }
  }
  return sentences;
}

std::vector<std::string> unrooted_includes(const TextFile& file, const Repository& repository) {
  std::vector<std::string> sentences;
  const std::vector<std::string> lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string included = included_path(lines[i]);
    const bool is_quoted = lines[i].find('"') != std::string::npos;
    if (included.empty() || !is_quoted || repository.has(included)) continue;
    sentences.push_back(at(file, i, "\"" + included + "\" is no path from the root; <...> is for libraries"));
  }
  return sentences;
}

}  // namespace kvarium_test
