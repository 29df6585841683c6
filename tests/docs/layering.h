#pragma once
// Which folder may include what: the arrows of docs/architecture.md as a table.

#include <string>
#include <vector>

#include "tests/docs/repository.h"

namespace kvarium_test {

struct LayerRule {
  std::string folder;                  ///< "core/": the files below it
  std::vector<std::string> forbidden;  ///< starts of included paths
  std::string reason;
};

const std::vector<LayerRule>& layer_rules();

/// The path between the quotes or angle brackets of an #include line; empty for any other line.
std::string included_path(const std::string& line);

/// One sentence for each include of `file` that a rule forbids.
std::vector<std::string> layer_violations(const TextFile& file, const std::vector<LayerRule>& rules);

/// One sentence for each quoted include that is no path from the repository's root: such an include would
/// slip past the rules.
std::vector<std::string> unrooted_includes(const TextFile& file, const Repository& repository);

}  // namespace kvarium_test
