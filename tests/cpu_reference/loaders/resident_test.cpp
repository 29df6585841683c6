// Loading never holds more in memory than the weights and a tenth of them. Linux tells how many bytes of a mapping are
// resident; elsewhere the test skips.

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cpu_reference/aligned_buffer.h"
#include "tests/cpu_reference/loaders/golden_models.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/model_writer.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::ScratchFolder;

namespace {

/// Bytes of `path` that lie in this process's memory; 0 where the system does not tell.
std::uint64_t resident_bytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::uint64_t bytes = 0;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    const bool is_header = line.find('-') != std::string::npos && line.find(':') != std::string::npos &&
                           std::isxdigit(static_cast<unsigned char>(line.front())) &&
                           line.find("kB") == std::string::npos;
    if (is_header) ours = line.size() >= path.size() && line.compare(line.size() - path.size(), path.size(), path) == 0;
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (ours && words >> name >> kibibytes && name == "Rss:") bytes += kibibytes * 1024;
  }
  return bytes;
}

/// 1 layer of width 512: 23 MB in F32, most of it in the embedding.
Model wide_model() {
  ModelConfig config;
  config.shape = {.name = "wide",
                  .layers = 1,
                  .query_heads = 8,
                  .kv_heads = 8,
                  .head_dim = 64,
                  .hidden = 512,
                  .vocab = 8192,
                  .context = 16};
  config.ffn_hidden = 1024;
  return {config, "wide"};
}

}  // namespace

TEST_CASE("while weights are copied, file and copies together hold no more than the weights and a tenth") {
  const ScratchFolder folder;
  kvarium_test::write_hugging_face(wide_model(), folder);
  const std::string file = (folder.path() / "model.safetensors").string();
  const std::uint64_t weights = std::filesystem::file_size(file);
  {
    const MappedFile mapped(file);
    const auto touched = std::count(mapped.bytes().begin(), mapped.bytes().end(), std::byte{0});
    if (touched == 0 || resident_bytes(file) < weights / 2) {
      WARN("SKIPPED: /proc/self/smaps does not tell what of a file is resident");
      return;
    }
  }
  std::uint64_t most = 0;
  const OnProgress look = [&](const Progress& progress) {  // after each piece that was copied
    most = std::max(most, progress.done + resident_bytes(file));
  };
  const LoadedModel loaded = load_hugging_face(folder.path(), {}, look, CancelToken{});
  INFO("at most " << most << " bytes for weights of " << weights);
  CHECK(loaded.copied_bytes > weights * 9 / 10);
  CHECK(most <= weights * 11 / 10);
}

TEST_CASE("weights that can be used where they lie cost no memory of their own") {
  const auto loaded = kvarium_test::load_gguf_file(kvarium_test::golden_models() / "qwen3.gguf");
  CHECK(loaded.copied_bytes * 10 <= loaded.mapped_bytes);
}
