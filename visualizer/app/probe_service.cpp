#include "visualizer/app/probe_service.h"

#include <algorithm>
#include <utility>

#include "core/cost/kv_bytes.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/model/weights.h"
#include "visualizer/app/failure.h"

namespace kvarium::ui {
namespace {

constexpr std::size_t kChunk = 16;  // tokens between two looks whether something else is asked

bool begins_with(const std::vector<TokenId>& tokens, const std::vector<TokenId>& beginning) {
  return beginning.size() <= tokens.size() && std::equal(beginning.begin(), beginning.end(), tokens.begin());
}

/// Whether the answer to `before` is a part of the answer to `after`.
bool goes_on(const ProbeQuestion& before, const ProbeQuestion& after) {
  return before.model == after.model && before.layer == after.layer && begins_with(after.tokens, before.tokens);
}

/// Whether the numbers so far are the beginning of the answer.
bool continues(const LayerProbing* probing, const ProbeQuestion& question) {
  if (probing == nullptr || probing->model() != question.model || probing->room() < question.tokens.size())
    return false;
  const layout::LayerProbe& numbers = probing->numbers();
  return numbers.layer == question.layer && begins_with(question.tokens, numbers.tokens);
}

}  // namespace

std::uint32_t ProbeService::most_tokens(const ModelShape& shape) {
  const std::uint64_t fit = kMostKvBytes / std::max<std::uint64_t>(1, kv_bytes(shape, 1, ElementType::fp32));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>({kMostTokens, fit, shape.context}));
}

ProbeService::~ProbeService() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    question_.reset();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProbeService::ask(const ProbeQuestion& question) {
  if (question.model == nullptr || question.tokens.empty()) return forget();
  {
    const std::lock_guard lock(mutex_);
    if (question_ == question) return;
    if (!question_ || !goes_on(*question_, question)) start_over();
    answer_.state = ProbeAnswer::State::working;
    answer_.total = static_cast<std::uint32_t>(question.tokens.size());
    question_ = question;
    fresh_ = true;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void ProbeService::forget() {
  const std::lock_guard lock(mutex_);
  question_.reset();
  start_over();
}

ProbeAnswer ProbeService::answer() const {
  const std::lock_guard lock(mutex_);
  return answer_;
}

bool ProbeService::working() const { return answer().state == ProbeAnswer::State::working; }

void ProbeService::start_over() {
  ProbeAnswer nothing;
  nothing.version = answer_.version;  // versions are never used twice
  answer_ = nothing;
}

void ProbeService::work() {
  for (;;) {
    std::optional<ProbeQuestion> question;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || (question_ && fresh_); });
      if (stopping_) return;
      fresh_ = false;
      question = question_;
    }
    const std::string failure =
        failure_of(tr("There is not enough memory to compute this layer again."), [&] { serve(*question); });
    if (failure.empty()) continue;
    probing_.reset();
    publish(*question, ProbeAnswer::State::failed, failure);
  }
}

void ProbeService::serve(const ProbeQuestion& question) {
  for (const TokenId token : question.tokens) {
    if (value(token) < 0 || index(token) >= question.model->config.shape.vocab)
      throw InputError(
          tr_format("token {} is not in the vocabulary of this model: another one made this recording", value(token)));
  }
  if (!continues(probing_.get(), question)) {
    probing_.reset();  // before the next one takes its memory
    probing_ = std::make_unique<LayerProbing>(question.model, question.layer, question.room);
  }
  const std::span<const TokenId> tokens(question.tokens);
  while (probing_->numbers().num_tokens() < tokens.size()) {
    if (outdated(question)) return;
    const std::size_t done = probing_->numbers().num_tokens();
    probing_->extend(tokens.subspan(done, std::min(kChunk, tokens.size() - done)));
    if (probing_->numbers().num_tokens() < tokens.size()) publish(question, ProbeAnswer::State::working);
  }
  publish(question, ProbeAnswer::State::ready);
}

/// Longer tokens of the same are no reason to stop: the worker goes on with them.
bool ProbeService::outdated(const ProbeQuestion& question) const {
  const std::lock_guard lock(mutex_);
  return stopping_ || !question_ || !goes_on(question, *question_);
}

void ProbeService::publish(const ProbeQuestion& question, ProbeAnswer::State state, std::string error) {
  std::shared_ptr<const layout::LayerProbe> numbers;
  if (state == ProbeAnswer::State::ready) numbers = std::make_shared<const layout::LayerProbe>(probing_->numbers());
  const std::lock_guard lock(mutex_);
  if (!question_ || !goes_on(question, *question_)) return;
  if (probing_) answer_.done = probing_->numbers().num_tokens();
  if (numbers) {
    answer_.probe = std::move(numbers);
    ++answer_.version;
  }
  if (*question_ != question && state == ProbeAnswer::State::ready) return;  // there is more to do
  answer_.state = state;
  answer_.error = std::move(error);
}

}  // namespace kvarium::ui
