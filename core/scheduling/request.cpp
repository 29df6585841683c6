#include "core/scheduling/request.h"

#include <algorithm>

#include "core/faults/faulty_release.h"

namespace kvarium {
namespace {

/// The same parameters, another stream.
Sampler for_drafts(SamplingParams params) {
  params.seed ^= 0x9E3779B97F4A7C15ULL;
  return Sampler(params);
}

}  // namespace

LiveRequest::LiveRequest(RequestId id, RequestSpec spec, std::uint32_t context, BlockPool& pool, PrefixCache& cache)
    : candidates_(spec.candidates),
      stop_strings_(std::move(spec.stop_strings)),
      end_tokens_(std::move(spec.end_tokens)),
      context_(context),
      table_(pool, id),
      sampler_(spec.sampling),
      draft_sampler_(for_drafts(spec.sampling)),
      prefix_(cache.arrive(id, spec.keys)) {
  request_.id = id;
  request_.tokens = std::move(spec.prompt);
  request_.prompt_tokens = static_cast<std::uint32_t>(request_.tokens.size());
  request_.max_new_tokens = spec.max_new_tokens;
  request_.priority = spec.priority;
}

LiveRequest::LiveRequest(RequestId id, LiveRequest& parent, Sampler sampler, BlockPool& pool)
    : request_(parent.request_),
      stop_strings_(parent.stop_strings_),
      end_tokens_(parent.end_tokens_),
      context_(parent.context_),
      table_(pool, id),
      sampler_(std::move(sampler)),
      draft_sampler_(for_drafts(sampler_.params())),
      draft_length_(parent.draft_length_),
      prefix_(parent.prefix_->fork(id, parent.table_, parent.computed())) {
  request_.id = id;
  request_.forks.clear();
  request_.preemptions = 0;
  parent.table_.fork_into(table_);
}

std::uint32_t LiveRequest::uncomputed_tokens() const {
  return static_cast<std::uint32_t>(request_.tokens.size()) - computed_tokens();
}

std::span<const TokenId> LiveRequest::next_tokens(std::uint32_t count) const {
  return std::span(request_.tokens).subspan(computed_tokens(), count);
}

std::uint32_t LiveRequest::drafts_wanted() const {
  if (!draft_length_ || candidates_ > 1 || request_.generated().empty() || uncomputed_tokens() != 1) return 0;
  const auto tokens = static_cast<std::uint32_t>(request_.tokens.size());
  return std::min(draft_length_->next(), longest() - tokens - 1);
}

std::uint32_t LiveRequest::longest() const {
  const std::uint64_t asked = std::uint64_t{request_.prompt_tokens} + request_.max_new_tokens;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(asked, context_));
}

std::size_t total_width(std::span<const LiveRequest* const> requests) {
  std::size_t width = 0;
  for (const LiveRequest* request : requests) width += request->width();
  return width;
}

PrefixHit LiveRequest::look_up() const {
  if (swapped_ || request_.status == RequestStatus::running) return {};
  return prefix_->look_up(request_.tokens);
}

void LiveRequest::admit() {
  request_.status = RequestStatus::running;
  if (!swapped_) prefix_->start(table_, request_.tokens);
}

void LiveRequest::publish(Phase phase) { prefix_->publish(table_, computed(), phase); }

void LiveRequest::give_back_blocks(bool finished, Fault fault) {
  prefix_->leave(table_, computed(), finished);
  if (fault == Fault::tail_block_leak || fault == Fault::double_free) return release_with(fault, table_);
  table_.release();
}

void LiveRequest::preempt(std::optional<SwappedKv> swapped) {
  give_back_blocks(false);
  swapped_ = std::move(swapped);
  request_.status = RequestStatus::preempted;
  ++request_.preemptions;
}

void LiveRequest::abort() {
  give_back_blocks(false);
  request_.status = RequestStatus::aborted;
}

void LiveRequest::finish(FinishReason reason, Fault fault) {
  give_back_blocks(true, fault);
  request_.status = RequestStatus::finished;
  request_.finish_reason = reason;
}

std::optional<FinishReason> LiveRequest::append(SampledToken sampled) {
  sampler_ = std::move(sampled.sampler);
  request_.tokens.push_back(sampled.token);
  const std::size_t old_size = request_.text.size();
  request_.text += sampled.text;
  if (std::find(end_tokens_.begin(), end_tokens_.end(), sampled.token) != end_tokens_.end()) {
    return FinishReason::end_of_sequence;
  }
  if (cut_at_stop_string(old_size)) return FinishReason::stop_string;
  if (request_.generated().size() >= request_.max_new_tokens) return FinishReason::max_tokens;
  if (request_.tokens.size() >= context_) return FinishReason::context_full;
  return std::nullopt;
}

// A stop string may have begun in earlier tokens, so the search starts before the new text. The earliest one counts.
bool LiveRequest::cut_at_stop_string(std::size_t old_size) {
  std::size_t cut = std::string::npos;
  for (const std::string& stop : stop_strings_) {
    const std::size_t start = old_size < stop.size() ? 0 : old_size - (stop.size() - 1);
    cut = std::min(cut, request_.text.find(stop, start));
  }
  if (cut == std::string::npos) return false;
  request_.text.resize(cut);
  return true;
}

}  // namespace kvarium
