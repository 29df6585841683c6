#pragma once
// Which sanitizer watches. The emulator itself is never compiled for ThreadSanitizer (what it does in the name of a
// thread would look like races), so the build says with SIMT_TSAN that the kernels are.

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

#if defined(SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SIMT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace kvarium::cuda::emulator {

/// Tells ThreadSanitizer that what was done before release(token) is visible after acquire(token).
inline void tsan_release([[maybe_unused]] void* token) {
#if defined(SIMT_TSAN)
  __tsan_release(token);
#endif
}
inline void tsan_acquire([[maybe_unused]] void* token) {
#if defined(SIMT_TSAN)
  __tsan_acquire(token);
#endif
}

}  // namespace kvarium::cuda::emulator
