#pragma once
// Atomic operations on global and shared memory, under CUDA's names. Each gives the value that was there before.

#include "cuda/simt/backend.h"
#include "cuda/simt/emulator/checked_ptr.h"

namespace kvarium::cuda::emulator {

/// Replaces the value by change(value) as one step, also in the eyes of ThreadSanitizer.
template <typename T, Space space, typename Change>
T atomically(const CheckedPtr<T, space>& at, const Site& site, const Change& change) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic operations are of 4 or 8 bytes");
  check_access(at.region(), at.unchecked(), sizeof(T), sizeof(T), Access::atomic, site);
  T old;
  __atomic_load(at.unchecked(), &old, __ATOMIC_RELAXED);
  T next = change(old);
  while (!__atomic_compare_exchange(at.unchecked(), &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    next = change(old);
  }
  return old;
}

/// The type that a call's other arguments are converted to.
template <typename T>
struct Same {
  using Type = T;
};

}  // namespace kvarium::cuda::emulator

// NOLINTBEGIN(readability-identifier-naming): CUDA's own names.
namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T, emulator::Space space>
T atomicAdd(const emulator::CheckedPtr<T, space>& at, typename emulator::Same<T>::Type value,
            emulator::Site site = emulator::Site::current()) {
  return emulator::atomically(at, site, [value](T old) { return static_cast<T>(old + value); });
}
template <typename T, emulator::Space space>
T atomicMax(const emulator::CheckedPtr<T, space>& at, typename emulator::Same<T>::Type value,
            emulator::Site site = emulator::Site::current()) {
  return emulator::atomically(at, site, [value](T old) { return old < value ? value : old; });
}
template <typename T, emulator::Space space>
T atomicMin(const emulator::CheckedPtr<T, space>& at, typename emulator::Same<T>::Type value,
            emulator::Site site = emulator::Site::current()) {
  return emulator::atomically(at, site, [value](T old) { return value < old ? value : old; });
}
template <typename T, emulator::Space space>
T atomicExch(const emulator::CheckedPtr<T, space>& at, typename emulator::Same<T>::Type value,
             emulator::Site site = emulator::Site::current()) {
  return emulator::atomically(at, site, [value](T) { return value; });
}
template <typename T, emulator::Space space>
T atomicCAS(const emulator::CheckedPtr<T, space>& at, typename emulator::Same<T>::Type expected,
            typename emulator::Same<T>::Type value, emulator::Site site = emulator::Site::current()) {
  return emulator::atomically(at, site, [expected, value](T old) { return old == expected ? value : old; });
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
// NOLINTEND(readability-identifier-naming)
