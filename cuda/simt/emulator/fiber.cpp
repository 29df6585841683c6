#include "cuda/simt/emulator/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "cuda/simt/emulator/sanitizers.h"

namespace kvarium::cuda::emulator {
namespace {

/// Memory is taken page by page, when it is touched. AddressSanitizer puts red zones around every variable.
#if defined(SIMT_ASAN)
constexpr std::size_t kStackBytes = std::size_t{512} << 10U;
#else
constexpr std::size_t kStackBytes = std::size_t{128} << 10U;
#endif

std::size_t page_bytes() {
  static const auto kBytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace

Fiber::Fiber() {
  const std::size_t bytes = kStackBytes + page_bytes();
  mapping_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapping_, page_bytes(), PROT_NONE);  // a stack that overflows stops the program, and changes nothing else
  stack_ = static_cast<char*>(mapping_) + page_bytes();
  switch_ = std::make_unique<StackSwitch>(stack_, kStackBytes, &Fiber::main, this);
#if defined(SIMT_TSAN)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(SIMT_TSAN)
  __tsan_destroy_fiber(tsan_fiber_);
#endif
#if defined(SIMT_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(stack_, kStackBytes);
#endif
  munmap(mapping_, kStackBytes + page_bytes());
}

void Fiber::main(void* self) {
  auto* fiber = static_cast<Fiber*>(self);
#if defined(SIMT_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &fiber->outside_bottom_, &fiber->outside_bytes_);
#endif
  for (;;) {
    fiber->body_(fiber->argument_);
    fiber->leave();
  }
}

void Fiber::enter() {
#if defined(SIMT_TSAN)
  tsan_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_fiber_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(SIMT_ASAN)
  __sanitizer_start_switch_fiber(&asan_outside_, stack_, kStackBytes);
#endif
  switch_->enter();
#if defined(SIMT_ASAN)
  __sanitizer_finish_switch_fiber(asan_outside_, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#if defined(SIMT_TSAN)
  __tsan_switch_to_fiber(tsan_outside_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(SIMT_ASAN)
  __sanitizer_start_switch_fiber(&asan_inside_, outside_bottom_, outside_bytes_);
#endif
  switch_->leave();
#if defined(SIMT_ASAN)
  __sanitizer_finish_switch_fiber(asan_inside_, &outside_bottom_, &outside_bytes_);
#endif
}

void Fiber::start(void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  enter();
}

void Fiber::resume() { enter(); }
void Fiber::suspend() { leave(); }

Fiber& FiberPool::take([[maybe_unused]] std::size_t slot) {
#if defined(SIMT_TSAN)
  while (fibers_.size() <= slot) fibers_.push_back(std::make_unique<Fiber>());
  return *fibers_[slot];
#else
  if (idle_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>());
    idle_.reserve(fibers_.size());
    idle_.push_back(fibers_.back().get());
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
#endif
}

void FiberPool::give_back([[maybe_unused]] Fiber& fiber) {
#if !defined(SIMT_TSAN)
  idle_.push_back(&fiber);
#endif
}

FiberPool& fiber_pool() {
  static thread_local FiberPool pool;
  return pool;
}

}  // namespace kvarium::cuda::emulator
