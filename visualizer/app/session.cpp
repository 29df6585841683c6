#include "visualizer/app/session.h"

#include <utility>

#include "core/words/words.h"
#include "visualizer/app/failure.h"

namespace kvarium::ui {
void Session::start(Work work) {
  stop();
  error_.reset();
  job_ = std::make_unique<Job>();
  thread_ = std::thread([job = job_.get(), work = std::move(work)] {
    job->error = failure_of(tr("There is not enough memory for that: choose a smaller pool, model or prompt."),
                            [&] { work(job->channel, job->cancel); });
    job->done.store(true, std::memory_order_release);
  });
}

void Session::cancel() {
  if (job_) job_->cancel.cancel();
}

void Session::stop() {
  cancel();
  if (thread_.joinable()) thread_.join();
  job_.reset();
}

bool Session::take(std::vector<Event>& batch) {
  batch.clear();
  if (!job_) return false;
  const bool done = job_->done.load(std::memory_order_acquire);  // before the last look into the mailbox
  const bool any = job_->channel.take(batch);
  if (done) {
    if (!job_->error.empty()) error_ = job_->error;
    stop();
  }
  return any;
}

std::optional<std::string> Session::take_error() { return std::exchange(error_, std::nullopt); }

}  // namespace kvarium::ui
