#include "cpu_reference/loaders/file_error.h"

#include "core/token_text.h"
#include "core/words/words.h"

namespace kvarium::cpu {

void fail_file(const std::string& file, const std::string& what) {
  throw FileError(tr_format("model file {}: {}", file, what));
}

std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 64;  // bytes
  if (name.size() <= kLongest) return printable(name);
  return printable(name.substr(0, kLongest)) + "...";
}

}  // namespace kvarium::cpu
