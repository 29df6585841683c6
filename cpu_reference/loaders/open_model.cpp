#include "cpu_reference/loaders/open_model.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/gguf_model.h"
#include "cpu_reference/loaders/hugging_face.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/loaders/model_facts.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"
#include "cpu_reference/tokenizer/tokenizer_gguf.h"
#include "cpu_reference/tokenizer/tokenizer_json.h"

namespace kvarium::cpu {
namespace {

enum class Kind { gguf, folder, safetensors, llama2c };

/// A GGUF file tells itself by its first bytes, the others by their names.
Kind kind_of(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Kind::folder;
  char mark[4] = {};
  std::ifstream(path, std::ios::binary).read(mark, sizeof(mark));
  if (std::string_view(mark, sizeof(mark)) == "GGUF" || path.extension() == ".gguf") return Kind::gguf;
  if (path.extension() == ".safetensors") return Kind::safetensors;
  if (path.filename() == "config.json" || path.filename() == "model.safetensors.index.json") return Kind::safetensors;
  if (path.extension() == ".bin") return Kind::llama2c;
  if (!std::filesystem::exists(path, error)) {
    fail_file(path.string(), std::string(tr("there is no such file: check the path")));
  }
  fail_file(path.string(), std::string(tr("it is no model: name a .gguf file, a Hugging Face folder, a .safetensors "
                                          "file or a llama2.c .bin file")));
}

OpenedModel opened(LoadedModel loaded, std::shared_ptr<const Tokenizer> tokenizer) {
  OpenedModel result;
  result.facts = model_facts(loaded, *tokenizer);
  result.model = std::move(loaded.model);
  result.tokenizer = std::move(tokenizer);
  return result;
}

OpenedModel open_gguf_model(const std::filesystem::path& path, const OnProgress& on_progress,
                            const CancelToken& cancel) {
  const GgufFile gguf = open_gguf(path);
  LoadedModel loaded = load_gguf(gguf, on_progress, cancel);
  auto tokenizer = tokenizer_from_gguf(gguf.metadata, loaded.model->config.shape.vocab);
  return opened(std::move(loaded), std::move(tokenizer));
}

/// `path` is the folder, or a file in it: the weights to take, or the list of them.
OpenedModel open_folder(const std::filesystem::path& path, const OnProgress& on_progress, const CancelToken& cancel) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::filesystem::path folder = is_folder ? path : parent;
  const bool one_file = !is_folder && path.extension() == ".safetensors";
  LoadedModel loaded = load_hugging_face(folder, one_file ? path : std::filesystem::path(), on_progress, cancel);
  auto tokenizer = tokenizer_from_json(folder / "tokenizer.json", loaded.model->config.shape.vocab);
  return opened(std::move(loaded), std::move(tokenizer));
}

/// The llama2.c project keeps the tokenizer of a vocabulary of its own as "tok512.bin", LLaMA's as "tokenizer.bin".
std::filesystem::path llama2c_tokenizer_beside(const std::filesystem::path& model, std::uint32_t vocab) {
  std::error_code error;
  for (const std::string& name : {fmt::format("tok{}.bin", vocab), std::string("tokenizer.bin")}) {
    const std::filesystem::path path = model.parent_path() / name;
    if (std::filesystem::exists(path, error)) return path;
  }
  fail_file(model.string(),
            tr_format("neither tok{}.bin nor tokenizer.bin stands beside it: name its tokenizer", vocab));
}

OpenedModel open_llama2c(const std::filesystem::path& path) {
  LoadedModel loaded;
  loaded.model = load_llama2c(path.string());
  const std::uint32_t vocab = loaded.model->config.shape.vocab;
  std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(llama2c_tokenizer_beside(path, vocab), vocab);
  return opened(describe_llama2c(std::move(loaded.model)), std::move(tokenizer));
}

}  // namespace

std::optional<OpenedModel> open_model(const std::filesystem::path& path, const OnProgress& on_progress,
                                      const CancelToken& cancel) {
  try {
    switch (kind_of(path)) {
      case Kind::gguf:
        return open_gguf_model(path, on_progress, cancel);
      case Kind::folder:
      case Kind::safetensors:
        return open_folder(path, on_progress, cancel);
      case Kind::llama2c:
        return open_llama2c(path);
    }
  } catch (const LoadCancelled&) {
  }
  return std::nullopt;
}

}  // namespace kvarium::cpu
