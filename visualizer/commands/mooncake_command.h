#pragma once
// kvarium replay --mooncake and --azure: traces of production servers.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/cancel.h"
#include "core/metrics/percentiles.h"
#include "core/replay/request_trace.h"
#include "core/trace/trace_io.h"

namespace kvarium {

struct TrafficOptions {
  std::string mooncake;
  std::string azure;
  std::string policy = "lru";
  std::uint64_t capacity = UINT64_MAX;  ///< blocks; the default is a cache without end
  bool json = false;
  std::uint64_t requests = UINT64_MAX;  ///< of the trace, the first so many
  std::string record;                   ///< a file for the events; empty: none
  bool engine = false;                  ///< through the real engine in simulated time
  std::string scheduler = "chunked";    ///< with engine, as the scenarios name them
  std::string prefix_cache = "hash";    ///< with engine
};

void add_traffic_flags(CLI::App& flags, TrafficOptions& options);
/// True when one of the files is given.
bool names_traffic(const TrafficOptions& options);
/// Prints what the cache saves; returns the exit code.
int replay_traffic(const TrafficOptions& options);

// What the two ways to replay share.

/// One line of a report: a name, and what is to be said of it.
std::string report_row(std::string_view name, const std::string& text);
/// Three durations under each other's columns.
std::string percentile_row(std::string_view name, const Percentiles& ms);
nlohmann::ordered_json percentiles_as_json(const Percentiles& ms);
/// The file that --record names; nullptr without one. InputError when it cannot be written, or is the trace itself.
std::unique_ptr<TraceWriter> make_recorder(const TrafficOptions& options);

/// --engine: serves the trace and prints how it went. False when cancelled.
bool replay_through_engine(const TrafficOptions& options, const RequestTrace& trace, const CancelToken& cancel);
/// InputError for choices that do not go together, before a long file is read.
void check_engine_flags(const TrafficOptions& options);
void add_engine_flags(CLI::App& flags, TrafficOptions& options, CLI::Option* mooncake);

}  // namespace kvarium
