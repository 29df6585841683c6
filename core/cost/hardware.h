#pragma once
// How fast bytes come from where a KV cache may lie, and how fast a processor computes with them. Peak figures of the
// makers; real transfers and real kernels reach less.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// What computes, and the memory that it reads from.
struct HardwareProfile {
  std::string name;
  double flops_per_second = 0;  ///< matrix products of BF16 or FP16 without sparsity, sums in FP32
  Link memory{"", 0};
  double memory_bytes = 0;
  std::string source;  ///< who says so, and when
};

/// Single processors that models are served on.
const std::vector<HardwareProfile>& hardware_profiles();
/// By name; case, spaces and punctuation do not matter. InputError that lists the names when there is none.
const HardwareProfile& find_hardware(std::string_view name);

}  // namespace kvarium
