#pragma once
// What the new tokens of a sequence see of its cache: those of a chain all that lies before them, those of a tree of
// drafts (Cai et al. 2024, Medusa, section 2.3.1) the past and their own ancestors. No mask is needed: a cache is a
// list of runs of rows, so each node of a tree is one token over the runs of its own path.

#include <vector>

#include "cpu_reference/matrix.h"
#include "cpu_reference/model/transformer.h"

namespace kvarium::cpu {

/// Behind the runs of the past the rows of one layer that node `node` of a tree sees besides, in the order of their
/// positions: its ancestors from the root on, and its own. The sequence must have parents.
void add_path_runs(const SequenceInput& input, std::uint32_t layer, std::uint32_t node, std::vector<KvRun>& runs);

/// attend(first, count, position) for tokens [first, first + count), the first of them at `position`, with the rows
/// that they see in `runs`: once for a chain, node by node for a tree.
template <typename Attend>
void for_each_view(const SequenceInput& input, std::uint32_t layer, std::vector<KvRun>& runs, const Attend& attend) {
  if (input.parents.empty()) {
    input.cache->find_runs(layer, input.first_position() + input.count(), runs);
    attend(Index{0}, Index{input.count()}, input.first_position());
    return;
  }
  input.cache->find_runs(layer, input.first_position(), runs);
  const std::size_t past = runs.size();
  for (std::uint32_t node = 0; node < input.count(); ++node) {
    runs.resize(past);
    add_path_runs(input, layer, node, runs);
    attend(Index{node}, Index{1}, input.position(node));
  }
}

}  // namespace kvarium::cpu
