#include "cuda/simt/emulator/stream.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace kvarium::cuda::emulator {

class WorkQueue {
 public:
  void enqueue(std::function<void()> work) { work_.push_back(std::move(work)); }
  std::uint64_t end() const { return num_done_ + work_.size(); }

  void run_until(std::uint64_t position) {
    while (num_done_ < position && !work_.empty()) {
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      ++num_done_;
      try {
        work();
      } catch (...) {
        num_done_ += work_.size();
        work_.clear();
        throw;
      }
    }
  }

 private:
  std::deque<std::function<void()>> work_;
  std::uint64_t num_done_ = 0;
};

namespace {
thread_local std::vector<std::weak_ptr<WorkQueue>> queues;
}

}  // namespace kvarium::cuda::emulator

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

Stream::Stream() : queue_(std::make_shared<emulator::WorkQueue>()) {
  auto& queues = emulator::queues;
  queues.erase(std::remove_if(queues.begin(), queues.end(), [](const auto& queue) { return queue.expired(); }),
               queues.end());
  queues.push_back(queue_);
}

void Stream::enqueue(std::function<void()> work) { queue_->enqueue(std::move(work)); }

void Stream::synchronize() { queue_->run_until(queue_->end()); }

Event Stream::record() const {
  Event event;
  event.queue_ = queue_;
  event.position_ = queue_->end();
  return event;
}

void Stream::wait(const Event& event) {
  if (event.queue_ == nullptr || event.queue_ == queue_) return;  // its own work is in order anyway
  queue_->enqueue([event] { event.queue_->run_until(event.position_); });
}

void synchronize_device() {
  const auto queues = emulator::queues;  // work may make streams
  for (const auto& weak : queues) {
    if (const auto queue = weak.lock()) queue->run_until(queue->end());
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
