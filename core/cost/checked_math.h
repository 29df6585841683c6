#pragma once
// Sums and products of sizes that come from people and files: an overflow is an error, never a small wrong number.

#include <cstdint>

#include "core/error.h"

namespace kvarium {

inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b) {
  if (b > UINT64_MAX - a) throw InputError("the size does not fit 64 bits: give smaller numbers");
  return a + b;
}

inline std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) throw InputError("the size does not fit 64 bits: give smaller numbers");
  return a * b;
}

}  // namespace kvarium
