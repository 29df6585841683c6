#pragma once
// How fast bytes come from where a KV cache may lie. Peak figures of the makers; real transfers reach less.

#include <cstdint>

namespace kvarium {

inline constexpr double kGB = 1e9;  ///< bytes; bandwidths are decimal

/// A way for bytes to travel.
struct Link {
  const char* name;
  double bytes_per_second;
};

inline constexpr Link kH100Hbm{"H100 SXM HBM3", 3350 * kGB};
inline constexpr Link kPcie5OneWay{"PCIe 5.0 x16, one way", 64 * kGB};
inline constexpr Link kPcie5BothWays{"PCIe 5.0 x16, both ways together", 128 * kGB};
inline constexpr Link kNetworkStore{"network store (10 Gbit/s Ethernet)", 1.2 * kGB};

/// Seconds to move `bytes` over a link at its peak, without latency.
constexpr double transfer_time(double bytes, const Link& link) { return bytes / link.bytes_per_second; }

}  // namespace kvarium
