#pragma once
// Which rows of a request's attention exist at a moment: a row is there once its token's query was computed.

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/timeline.h"
#include "core/trace/world.h"

namespace kvarium::ui::layout {

/// waiting: not computed yet; found: its K and V were there before the request came to it (prefix cache, fork, host
/// memory), so its query was never computed for this request; computed: in an earlier step; fresh: in this step.
enum class ProbeRow : std::uint8_t { waiting, found, computed, fresh };

/// [tokens of the request at the moment]
std::vector<ProbeRow> probe_rows(const RequestState& request, std::span<const WorkRow> rows, std::uint64_t step);

/// Rows that have numbers to show.
std::uint32_t num_shown(std::span<const ProbeRow> rows);

/// How many first positions have K and V somewhere at the moment: in blocks, in a region, or, without a cache, for as
/// long as the step lasts.
std::uint32_t kv_positions(const RequestState& request);

}  // namespace kvarium::ui::layout
