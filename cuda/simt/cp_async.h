#pragma once
// Copies of 16 bytes from global to shared memory that go on while the thread does something else (PTX ISA, cp.async).
//
//   cp_async16(to, from)   begins one; cp_async_commit() closes a group of them;
//   cp_async_wait<N>()     waits until at most the N youngest groups of this thread are still under way.
//
// What has landed is seen by the thread that waited. Others see it after the next barrier.

#include <cstdint>

#include "cuda/simt/kernel.h"

#if !SIMT_ON_DEVICE
#include "cuda/simt/emulator/copy_queue.h"
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

#if SIMT_ON_DEVICE

/// Of `from` only the first `bytes` (0 to 16) are read; the rest of `to` becomes zero.
template <typename T>
__device__ __forceinline__ void cp_async16(T* to, const T* from, int bytes = 16) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int youngest>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(youngest) : "memory");
}

#else

template <typename T, typename U>
void cp_async16(const sptr<T>& to, const gptr<U>& from, int bytes = 16,
                emulator::Site site = emulator::Site::current()) {
  static_assert(std::is_same_v<T, std::remove_const_t<U> >, "a copy does not change the type");
  emulator::begin_copy(to.region(), to.unchecked(), from.region(), from.unchecked(), bytes, site);
}
inline void cp_async_commit() { emulator::commit_copies(); }
template <int youngest>
void cp_async_wait(emulator::Site site = emulator::Site::current()) {
  static_assert(youngest >= 0);
  emulator::wait_for_copies(youngest, site);
}

#endif

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
