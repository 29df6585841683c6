#include "cpu_reference/model/tree_views.h"

#include <algorithm>

namespace kvarium::cpu {

void add_path_runs(const SequenceInput& input, std::uint32_t layer, std::uint32_t node, std::vector<KvRun>& runs) {
  const auto past_runs = static_cast<std::ptrdiff_t>(runs.size());
  for (std::uint32_t depth = depth_of(input.parents, node) + 1; depth > 0; --depth, node = input.parents[node]) {
    const KvRow row = input.cache->row(layer, input.first_position() + node);
    runs.push_back({row.key, row.value == nullptr ? row.key : row.value, 1});
  }
  std::reverse(runs.begin() + past_runs, runs.end());
}

}  // namespace kvarium::cpu
