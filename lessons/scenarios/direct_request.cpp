#include "lessons/scenarios/direct_request.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {

DirectRequest::DirectRequest(RequestId id, RequestSpec spec, std::uint32_t context, const TokenText& text,
                             TokenNames& names, EventSink& sink)
    : id_(id),
      spec_(std::move(spec)),
      context_(context),
      token_text_(text),
      names_(names),
      sink_(sink),
      sampler_(spec_.sampling),
      tokens_(spec_.prompt) {
  check(spec_.sampling);
  if (spec_.prompt.empty()) throw InputError(std::string(tr("the prompt is empty: give at least one token")));
  if (spec_.max_new_tokens == 0) throw InputError(std::string(tr("0 new tokens: ask for at least 1")));
  for (const std::string& stop : spec_.stop_strings) {
    if (stop.empty()) throw InputError(std::string(tr("a stop string is empty: it would stop every answer at once")));
  }
  if (spec_.prompt.size() >= context) {
    throw InputError(tr_format("the prompt has {} tokens, the context of {} leaves no room for an answer: shorten it",
                               spec_.prompt.size(), context));
  }
}

void DirectRequest::arrive() {
  for (const TokenId token : tokens_) names_.announce(token);
  sink_.emit(RequestArrived{id_, tokens_, spec_.max_new_tokens});
  sink_.emit(RequestAdmitted{id_});
}

void DirectRequest::step(KvKeeping& keeping) {
  Work work;
  const auto length = static_cast<std::uint32_t>(tokens_.size());
  const std::vector<float> logits =
      keeping.compute(tokens_, num_generated() == 0 ? Phase::prefill : Phase::decode, work);
  work_ += work;
  sink_.emit(KvRead{id_, length});
  sink_.emit(WorkCounted{id_, work});
  const TokenId next = sampler_.sample(logits);
  names_.announce(next);
  sink_.emit(TokenSampled{id_, length, next});
  const std::optional<FinishReason> reason = append(next);
  if (!reason) return;
  ended_ = true;
  keeping.release();
  sink_.emit(RequestFinished{id_, *reason});
}

void DirectRequest::abort(KvKeeping& keeping) {
  ended_ = true;
  keeping.release();
  sink_.emit(RequestAborted{id_});
}

/// Why the request ends with this token, if it does.
std::optional<FinishReason> DirectRequest::append(TokenId token) {
  const std::string piece = token_text_.piece(tokens_.back(), token);
  tokens_.push_back(token);
  if (std::find(spec_.end_tokens.begin(), spec_.end_tokens.end(), token) != spec_.end_tokens.end()) {
    return FinishReason::end_of_sequence;
  }
  const std::size_t old_size = text_.size();
  text_ += piece;
  std::size_t cut = std::string::npos;
  for (const std::string& stop : spec_.stop_strings) {
    const std::size_t from = old_size - std::min(old_size, stop.size());  // it may begin in an earlier token
    cut = std::min(cut, text_.find(stop, from));
  }
  if (cut != std::string::npos) {
    text_.resize(cut);
    return FinishReason::stop_string;
  }
  if (num_generated() == spec_.max_new_tokens) return FinishReason::max_tokens;
  if (tokens_.size() == context_) return FinishReason::context_full;
  return std::nullopt;
}

}  // namespace kvarium
