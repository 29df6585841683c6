#pragma once
// Which sanitizer watches. The emulator itself is never compiled for ThreadSanitizer (what it does in the name of a
// thread would look like races), so the build says with SIMT_TSAN that the kernels are.

#include <cstddef>

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
extern "C" {
void __tsan_read_range(void* address, unsigned long bytes);
void __tsan_write_range(void* address, unsigned long bytes);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
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

/// What the emulator reads or writes for the running thread, and the kernel's own code does not.
inline void tsan_read([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_TSAN)
  __tsan_read_range(const_cast<void*>(address), bytes);
#endif
}
inline void tsan_write([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_TSAN)
  __tsan_write_range(address, bytes);
#endif
}

/// What the emulator itself does with memory while a thread runs is no access of that thread: memcpy, memset, malloc
/// and free are watched even where the compiler adds nothing. Not across a switch of fibers.
class Unseen {
 public:
  Unseen() {  // NOLINT(modernize-use-equals-default): in this build only
#if defined(SIMT_TSAN)
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
  }
  ~Unseen() {  // NOLINT(modernize-use-equals-default)
#if defined(SIMT_TSAN)
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

}  // namespace kvarium::cuda::emulator
