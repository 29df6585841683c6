#pragma once
// Shuffles, votes and reductions of a warp, under CUDA's names (CUDA C++ Programming Guide, "Warp Shuffle Functions",
// "Warp Vote Functions", "Warp Reduce Functions"; PTX ISA, shfl.sync). The work is done in warp.cpp, byte by byte.

#include <cstddef>
#include <type_traits>

#include "cuda/simt/backend.h"
#include "cuda/simt/emulator/site.h"

namespace kvarium::cuda::emulator {

enum class Shuffle { index, up, down, butterfly };

/// Every lane brings `bytes` at `value` and gets those of the lane that `amount` names, within groups of `width` lanes.
/// KernelFault: a width that is no power of two up to 32; a lane to read from that takes no part.
void shuffle(Shuffle kind, unsigned mask, const void* value, void* result, std::size_t bytes, int amount, int width,
             const Site& site);

enum class Reduce { add, min, max, bit_and, bit_or, bit_xor };
unsigned reduce_unsigned(Reduce kind, unsigned mask, unsigned value, const Site& site);
int reduce_int(Reduce kind, unsigned mask, int value, const Site& site);

template <typename T>
T shuffled(Shuffle kind, unsigned mask, T value, int amount, int width, const Site& site) {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "CUDA shuffles values of 4 or 8 bytes");
  T result{};
  shuffle(kind, mask, &value, &result, sizeof(T), amount, width, site);
  return result;
}

}  // namespace kvarium::cuda::emulator

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own names.
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, emulator::Site site = emulator::Site::current()) {
  return emulator::shuffled(emulator::Shuffle::index, mask, value, lane, width, site);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 emulator::Site site = emulator::Site::current()) {
  return emulator::shuffled(emulator::Shuffle::up, mask, value, static_cast<int>(delta), width, site);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   emulator::Site site = emulator::Site::current()) {
  return emulator::shuffled(emulator::Shuffle::down, mask, value, static_cast<int>(delta), width, site);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  emulator::Site site = emulator::Site::current()) {
  return emulator::shuffled(emulator::Shuffle::butterfly, mask, value, lane_mask, width, site);
}

/// Bit i: lane i is in the mask and its predicate is not zero.
unsigned __ballot_sync(unsigned mask, int predicate, emulator::Site site = emulator::Site::current());
int __any_sync(unsigned mask, int predicate, emulator::Site site = emulator::Site::current());
int __all_sync(unsigned mask, int predicate, emulator::Site site = emulator::Site::current());

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::add, mask, value, site);
}
inline int __reduce_add_sync(unsigned mask, int value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_int(emulator::Reduce::add, mask, value, site);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::min, mask, value, site);
}
inline int __reduce_min_sync(unsigned mask, int value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_int(emulator::Reduce::min, mask, value, site);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::max, mask, value, site);
}
inline int __reduce_max_sync(unsigned mask, int value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_int(emulator::Reduce::max, mask, value, site);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::bit_and, mask, value, site);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::bit_or, mask, value, site);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, emulator::Site site = emulator::Site::current()) {
  return emulator::reduce_unsigned(emulator::Reduce::bit_xor, mask, value, site);
}

/// Which lanes happen to run together has no meaning without lockstep: name the mask that you mean.
unsigned __activemask() = delete;

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
