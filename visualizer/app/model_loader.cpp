#include "visualizer/app/model_loader.h"

#include <utility>

#include "core/words/words.h"
#include "lessons/scenarios/model_choice.h"
#include "visualizer/app/failure.h"

namespace kvarium::ui {
void ModelLoader::start(ModelFiles files) {
  stop();
  files_ = std::move(files);
  job_ = std::make_unique<Job>();
  job_->result.files = files_;
  thread_ = std::thread([job = job_.get(), wanted = files_] {
    const auto on_progress = [job](const Progress& progress) {
      job->done.store(progress.done, std::memory_order_relaxed);
      job->total.store(progress.total, std::memory_order_relaxed);
    };
    job->result.error = failure_of(tr("There is not enough memory for this model."), [&] {
      auto opened = choose_model(wanted.model, wanted.tokenizer, on_progress, job->cancel);
      if (opened) job->result.choice = std::make_shared<const ModelChoice>(std::move(*opened));
    });
    job->ended.store(true, std::memory_order_release);
  });
}

void ModelLoader::cancel() {
  if (job_) job_->cancel.cancel();
}

void ModelLoader::stop() {
  cancel();
  if (thread_.joinable()) thread_.join();
  job_.reset();
}

Progress ModelLoader::progress() const {
  if (!job_) return {};
  return {job_->done.load(std::memory_order_relaxed), job_->total.load(std::memory_order_relaxed)};
}

std::optional<ModelLoader::Result> ModelLoader::take() {
  if (!job_ || !job_->ended.load(std::memory_order_acquire)) return std::nullopt;
  Result result = std::move(job_->result);
  stop();
  return result;
}

}  // namespace kvarium::ui
