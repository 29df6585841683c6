#pragma once
// A small fixed pool of threads for the operators. A loop is cut into tasks by its shape alone, never by the number of
// threads, and each task computes its own numbers wholly: a result has the same bits with 1 thread and with 16.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace kvarium::cpu {

class ThreadPool {
 public:
  /// `threads` counts the one that calls for_each(); 0 means 1. Fewer where the system gives fewer.
  explicit ThreadPool(std::uint32_t threads = 1);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  std::uint32_t threads() const { return static_cast<std::uint32_t>(workers_.size()) + 1; }

  /// Calls task(i) once for each i in [0, count), on any thread in any order, and returns when all are done. Allocates
  /// nothing. A task must not throw, and must not call for_each of the same pool; one caller at a time.
  template <class Task>
  void for_each(std::uint32_t count, const Task& task) {
    run(
        count, [](const void* context, std::uint32_t i) { (*static_cast<const Task*>(context))(i); }, &task);
  }

 private:
  using Call = void (*)(const void* task, std::uint32_t i);

  void run(std::uint32_t count, Call call, const void* task);
  void work() noexcept;        ///< a worker's life
  void take_tasks() noexcept;  ///< until none is left

  // The job under way: written by run() while every worker waits, read by all after `round_` changed.
  Call call_ = nullptr;
  const void* task_ = nullptr;
  std::uint32_t count_ = 0;
  std::atomic<std::uint32_t> next_{0};   ///< the next task that nobody took
  std::atomic<std::uint32_t> round_{0};  ///< workers wait here for a job
  std::atomic<std::uint32_t> busy_{0};   ///< workers that have not finished it; run() waits here for 0
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace kvarium::cpu
