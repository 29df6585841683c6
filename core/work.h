#pragma once
// What a forward pass did, counted by the code that does it.

#include <cstdint>

namespace kvarium {

/// Counts over all layers. Units are on each line; `+=` adds.
struct Work {
  std::uint64_t kv_projections = 0;  ///< (token, layer) pairs whose K and V were computed
  std::uint64_t score_products = 0;  ///< q.k dot products, over all layers and query heads
  std::uint64_t bytes_read = 0;      ///< weights and cached K/V read, bytes
  std::uint64_t flops = 0;           ///< multiplications and additions of matrix products and attention

  bool operator==(const Work&) const = default;
  Work& operator+=(const Work& more) {
    kv_projections += more.kv_projections;
    score_products += more.score_products;
    bytes_read += more.bytes_read;
    flops += more.flops;
    return *this;
  }
};

}  // namespace kvarium
