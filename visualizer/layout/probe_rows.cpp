#include "visualizer/layout/probe_rows.h"

#include <algorithm>

namespace kvarium::ui::layout {
namespace {

void mark(std::vector<ProbeRow>& rows, std::uint32_t first, std::uint32_t count, ProbeRow what) {
  for (std::size_t p = first; p < std::min<std::size_t>(rows.size(), std::size_t{first} + count); ++p) rows[p] = what;
}

}  // namespace

std::vector<ProbeRow> probe_rows(const RequestState& request, std::span<const WorkRow> work, std::uint64_t step) {
  std::vector<ProbeRow> rows(request.tokens.size(), ProbeRow::waiting);
  mark(rows, 0, request.computed_tokens, ProbeRow::found);
  for (const WorkRow& row : work) {
    if (row.step >= step) break;
    mark(rows, row.first, row.count, ProbeRow::computed);
  }
  mark(rows, request.new_first, request.new_count, ProbeRow::fresh);
  return rows;
}

std::uint32_t num_shown(std::span<const ProbeRow> rows) {
  return static_cast<std::uint32_t>(
      std::count_if(rows.begin(), rows.end(), [](ProbeRow row) { return row != ProbeRow::waiting; }));
}

std::uint32_t kv_positions(const RequestState& request) {
  if (!request.table.empty() || request.region) return request.computed_tokens;
  return request.new_count > 0 && !request.new_kept ? request.new_first + request.new_count : 0;
}

}  // namespace kvarium::ui::layout
