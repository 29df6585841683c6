#pragma once
// kvarium replay --mooncake and --azure: traces of production servers.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace kvarium {

struct TrafficOptions {
  std::string mooncake;
  std::string azure;
  std::string policy = "lru";
  std::uint64_t capacity = UINT64_MAX;  ///< blocks; the default is a cache without end
  bool json = false;
};

void add_traffic_flags(CLI::App& flags, TrafficOptions& options);
/// True when one of the files is given.
bool names_traffic(const TrafficOptions& options);
/// Prints what the cache saves; returns the exit code.
int replay_traffic(const TrafficOptions& options);

}  // namespace kvarium
