#include "visualizer/commands/text_file.h"

#include <array>
#include <cstddef>
#include <fstream>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 28U;  ///< bytes

}  // namespace

// The limit is looked at while reading, because a pipe or a device does not say how much it will give.
std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 1U << 16U> part{};
  do {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= kLongestText);
  if (text.size() > kLongestText) {
    throw InputError(tr_format("text file {}: it has more than {} bytes: give a part of it", path, kLongestText));
  }
  // A folder opens but cannot be read: only a file comes to its end.
  if (!file.eof()) throw InputError(tr_format("text file {}: it cannot be read: check the path", path));
  return text;
}

}  // namespace kvarium
