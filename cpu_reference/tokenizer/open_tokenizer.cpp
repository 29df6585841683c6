#include "cpu_reference/tokenizer/open_tokenizer.h"

#include <string>
#include <system_error>

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"
#include "cpu_reference/loaders/gguf_file.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"
#include "cpu_reference/tokenizer/tokenizer_gguf.h"
#include "cpu_reference/tokenizer/tokenizer_json.h"

namespace kvarium::cpu {

std::shared_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return tokenizer_from_json(path / "tokenizer.json");
  if (path.extension() == ".gguf") return tokenizer_from_gguf(open_gguf(path).metadata);
  if (path.extension() == ".json") return tokenizer_from_json(path);
  if (path.extension() == ".bin") return load_tokenizer(path, {});
  fail_file(path.string(), std::string(tr("it is no tokenizer: name a .gguf file, a folder with a tokenizer.json, a "
                                          "tokenizer.json, or a llama2.c tokenizer .bin")));
}

}  // namespace kvarium::cpu
