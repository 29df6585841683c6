#pragma once
// The held-out set: texts that no training saw, one JSON object a line. Three kinds of them:
//
//   {"kind": "story", "text": "Tom had ..."}
//   {"kind": "recall", "prompt": "... the code is 4719. ... Answer:", "answer": " 4719", "distance": 100}
//   {"kind": "list", "prompt": "List: apple, key. Again:", "answer": " apple, key", "items": 2}
//
// Other members of the objects are passed over.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/progress.h"

namespace kvarium::cpu {

/// A prompt that holds its answer: the model has to say it again.
struct RecitationText {
  std::string prompt;
  std::string answer;       ///< as it follows the prompt, with the space between
  std::uint32_t group = 0;  ///< recall: tokens between statement and answer, about; list: items
};

struct HeldOutSet {
  std::vector<std::string> stories;
  std::vector<RecitationText> recalls;
  std::vector<RecitationText> lists;

  std::size_t size() const { return stories.size() + recalls.size() + lists.size(); }
};

/// All texts together: with more bytes a file is refused.
inline constexpr std::size_t kMostHeldOutBytes = std::size_t{256} << 20U;

/// Reads the set; the first `limit` stories, and recitations of each group, are kept. `name` is the file's. InputError:
/// file, line, what is wrong and what to do; a file without a text. Nothing when cancelled.
std::optional<HeldOutSet> read_held_out(std::istream& in, const std::string& name, std::size_t limit,
                                        const OnProgress& on_progress, const CancelToken& cancel);

/// The same of a file. InputError too when it cannot be opened.
std::optional<HeldOutSet> read_held_out_file(const std::string& path, std::size_t limit, const OnProgress& on_progress,
                                             const CancelToken& cancel);

/// The set that comes with Kvarium.
std::filesystem::path shipped_held_out();

}  // namespace kvarium::cpu
