#pragma once
// Do the names in the documents exist? What stands between backticks is judged by its look:
//
//   a/b, a/b.h, b.h:12, tools/   a path: with a slash it must exist from the root, a bare file name anywhere;
//                                paths that start with / ~ .. $ build/ or have a blank, * or < are not ours
//   04_paged_blocks              a lesson: a source of that name must exist
//   BlockPool, kMostLines, slot_of, a::b, show()
//                                a symbol: each of its identifiers must occur in a source as a whole word;
//                                names of std:: and of libraries (Eigen::, ImGui::) are not ours
//   --step 40                    an option: must occur in a source or script
//
// Anything else (plain words, notation, code with blanks) is not judged. The same holds for the options of commands
// to type, `kvarium ...`, `./run ...` and `./test ...`, also in fenced blocks.

#include <string>
#include <unordered_set>
#include <vector>

#include "tests/docs/repository.h"

namespace kvarium_test {

enum class NameKind { path, file_name, lesson, symbol, option, command, none };

/// What the text between two backticks looks like.
NameKind kind_of(const std::string& text);

/// Every identifier, file name and option that the repository's sources and scripts have.
class KnownNames {
 public:
  explicit KnownNames(const Repository& repository);

  /// One sentence for each name in the document that does not exist.
  std::vector<std::string> missing_from(const TextFile& document) const;

 private:
  bool exists(NameKind kind, const std::string& text) const;
  bool has_symbol(const std::string& text) const;
  bool has_options_of(const std::string& command) const;

  const Repository& repository_;
  std::unordered_set<std::string> identifiers_;
  std::unordered_set<std::string> options_;     ///< "--step"
  std::unordered_set<std::string> file_names_;  ///< "block_pool.h"
};

}  // namespace kvarium_test
