#include "cpu_reference/thread_pool.h"

#include <system_error>

namespace kvarium::cpu {
namespace {

// A decode step is a hundred short loops: a thread that slept between them would cost more than they do. So it looks
// for the next one this many times, some 20 microseconds, before it goes to sleep.
constexpr int kLooks = 4000;

void wait_while_equal(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int look = 0; look < kLooks; ++look) {
    if (value.load(std::memory_order_acquire) != old) return;
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads) {
  try {
    for (std::uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the same work.
  }
}

ThreadPool::~ThreadPool() {
  stopping_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(std::uint32_t count, Call call, const void* task) {
  if (workers_.empty() || count <= 1) {
    for (std::uint32_t i = 0; i < count; ++i) call(task, i);
    return;
  }
  call_ = call;
  task_ = task;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_tasks();
  // Each worker takes part in each round, if only to find that nothing is left: none can hold on to an old job.
  for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    wait_while_equal(busy_, busy);
  }
}

void ThreadPool::work() noexcept {
  for (std::uint32_t round = 0;;) {
    wait_while_equal(round_, round);
    ++round;  // no round is missed: run() starts the next only when this worker has finished
    if (stopping_.load(std::memory_order_relaxed)) return;
    take_tasks();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadPool::take_tasks() noexcept {
  for (std::uint32_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    call_(task_, i);
  }
}

}  // namespace kvarium::cpu
