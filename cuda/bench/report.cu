// What was measured, as a table and as JSON.

#include <cstdio>

#include "cuda/bench/bench.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

namespace {

template <typename... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

/// The shortest time that the floors allow: for the bytes or for the operations, whichever takes longer.
double fewest_seconds(const Floors& floors, const Job& job) {
  const double for_bytes = floors.copy_bandwidth > 0 ? job.bytes / floors.copy_bandwidth : 0;
  const double for_flops = floors.matrix_rate > 0 ? job.flops / floors.matrix_rate : 0;
  return for_bytes > for_flops ? for_bytes : for_flops;
}

std::string timed_row(const Floors& floors, const Row& row) {
  const double seconds = row.measured.median_seconds;
  return text("%9.1f us (%.1f .. %.1f, %d runs)  %7.0f GB/s  %7.1f TFLOP/s  %5.1f %% of the floor", seconds * 1e6,
              row.measured.fastest_seconds * 1e6, row.measured.slowest_seconds * 1e6, row.measured.runs,
              row.job.bytes / seconds / 1e9, row.job.flops / seconds / 1e12,
              100 * fewest_seconds(floors, row.job) / seconds);
}

std::string counted_row(const Row& row) {
  return text("%12.0f B moved, %12.0f B needed: %6.2f times; %8.0f sectors", row.measured.moved_bytes, row.job.bytes,
              row.measured.moved_bytes / row.job.bytes, row.measured.sectors);
}

/// Our own words: letters, digits and signs that JSON takes as they are.
std::string quoted(const std::string& words) { return '"' + words + '"'; }

}  // namespace

std::string table(const Floors& floors, const std::vector<Row>& rows) {
  std::string lines = floors.device;
  if (floors.is_emulated()) {
    lines += ": bytes asked for by threads; it has no times\n";
  } else {
    lines += text(": copies %.0f GB/s", floors.copy_bandwidth / 1e9);
    lines += floors.matrix_rate > 0 ? text(", BF16 products of cuBLAS %.0f TFLOP/s\n", floors.matrix_rate / 1e12)
                                    : std::string("; no cuBLAS here, so no floor for operations\n");
  }
  for (const Row& row : rows) {
    lines += text("%-18s %-15s %-52s ", row.job.kernel.c_str(), row.job.rung.c_str(), row.job.problem.c_str());
    lines += (floors.is_emulated() ? counted_row(row) : timed_row(floors, row)) + '\n';
  }
  return lines;
}

std::string json(const Floors& floors, const std::vector<Row>& rows) {
  std::string lines = "{\"device\": " + quoted(floors.device);
  lines += text(", \"emulated\": %s, \"copy_bytes_per_second\": %.6g, \"matrix_flops_per_second\": %.6g, \"rows\": [",
                floors.is_emulated() ? "true" : "false", floors.copy_bandwidth, floors.matrix_rate);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [job, measured] = rows[i];
    lines += (i == 0 ? "\n  {" : ",\n  {");
    lines += "\"kernel\": " + quoted(job.kernel) + ", \"rung\": " + quoted(job.rung) +
             ", \"problem\": " + quoted(job.problem) +
             text(", \"bytes\": %.6g, \"flops\": %.6g, \"runs\": %d", job.bytes, job.flops, measured.runs);
    lines += floors.is_emulated()
                 ? text(", \"moved_bytes\": %.6g, \"sectors\": %.6g}", measured.moved_bytes, measured.sectors)
                 : text(", \"median_seconds\": %.6g, \"fastest_seconds\": %.6g, \"slowest_seconds\": %.6g}",
                        measured.median_seconds, measured.fastest_seconds, measured.slowest_seconds);
  }
  return lines + "\n]}\n";
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
