#include "core/beam/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/blocks/blocks_for.h"
#include "core/error.h"

namespace kvarium {

BeamSearch::BeamSearch(std::vector<TokenId> prompt, BeamParams params, ModelRunner& runner, BlockPool& pool,
                       const TokenText& token_text, EventSink& sink)
    : params_(std::move(params)),
      prompt_tokens_(static_cast<std::uint32_t>(prompt.size())),
      runner_(runner),
      pool_(pool),
      token_text_(token_text),
      sink_(sink),
      named_(runner.shape().vocab, false) {
  check_possible(prompt);
  runner_.create_cache(static_cast<std::uint32_t>(pool_.num_blocks()), pool_.block_size());
  sink_.emit(ModelDescribed{runner_.shape()});
  for (const TokenId token : prompt) announce_name(token);
  const RequestId first{num_requests_++};
  sink_.emit(RequestArrived{first, prompt, params_.max_new_tokens});
  sink_.emit(RequestAdmitted{first});
  beams_.push_back(std::make_unique<Beam>(Beam{first, std::move(prompt), 0, BlockTable(pool_, first)}));
}

BeamSearch::~BeamSearch() {
  for (const auto& beam : beams_) beam->table.release();
}

void BeamSearch::check_possible(const std::vector<TokenId>& prompt) const {
  if (prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (params_.width == 0) throw InputError("0 beams: follow at least 1");
  if (params_.max_new_tokens == 0) throw InputError("0 new tokens: ask for at least 1");
  for (const TokenId token : prompt) {
    if (value(token) < 0 || index(token) >= named_.size()) {
      throw InputError(fmt::format("token {} is outside the vocabulary of {}", value(token), named_.size()));
    }
  }
  if (std::uint64_t{prompt_tokens_} + params_.max_new_tokens > runner_.shape().context) {
    throw InputError(fmt::format("prompt and answer may reach {} tokens, the context has {}: ask for fewer",
                                 std::uint64_t{prompt_tokens_} + params_.max_new_tokens, runner_.shape().context));
  }
  const std::uint64_t each = blocks_for(longest(), pool_.block_size());
  if (each * params_.width > pool_.num_blocks()) {
    throw InputError(
        fmt::format("{} beams of {} tokens may need {} blocks of {}, but the pool has {}: follow fewer "
                    "beams or make the pool larger",
                    params_.width, longest(), each * params_.width, pool_.block_size(), pool_.num_blocks()));
  }
}

bool BeamSearch::step() {
  if (ended()) return false;
  sink_.emit(StepStarted{++step_});
  follow(choose(compute()));
  if (cannot_improve()) abort();
  return true;
}

// --- one step

/// [beams][vocab]: log probabilities of the next token.
std::vector<std::vector<double>> BeamSearch::compute() {
  std::vector<ScheduledSequence> batch;
  std::vector<BlockCopy> copies;
  for (const auto& beam : beams_) {
    const std::uint32_t first = beam->table.num_tokens();
    const auto tokens = std::span<const TokenId>(beam->tokens).subspan(first);
    if (!beam->table.append(static_cast<std::uint32_t>(tokens.size()), copies)) {
      throw MisuseError("the pool is too small for the beams, which was checked");
    }
    batch.push_back({beam->request, tokens, first, beam->table.blocks()});
  }
  if (!copies.empty()) runner_.copy(copies);
  const ForwardResult result = runner_.forward(batch);
  const std::size_t vocab = named_.size();
  std::vector<std::vector<double>> next;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(batch[i].tokens.size());
    const std::uint32_t end = batch[i].first_position + count;
    const Phase phase = batch[i].first_position == 0 ? Phase::prefill : Phase::decode;
    sink_.emit(KvComputed{batch[i].request, batch[i].first_position, count, phase, true});
    sink_.emit(KvRead{batch[i].request, end});
    sink_.emit(WorkCounted{batch[i].request, result.work[i]});
    next.push_back(log_probabilities(std::span(result.logits).subspan(i * vocab, vocab)));
  }
  return next;
}

// Twice as many as there are beams: if half of them end, the other half still fills all places.
std::vector<Continuation> BeamSearch::choose(const std::vector<std::vector<double>>& next) const {
  const std::size_t most = 2 * std::size_t{params_.width};
  std::vector<std::vector<Continuation>> offered;
  for (std::size_t beam = 0; beam < beams_.size(); ++beam) {
    offered.push_back(continuations(beam, beams_[beam]->log_probability, next[beam], most));
  }
  return best_of(offered, most);
}

// Each continuation gets a beam: the last one that goes on from a parent takes the parent itself, the others are forks
// of it, made before it changes. Forks first, then tokens, then ends: nobody's blocks go while they are still needed.
void BeamSearch::follow(const std::vector<Continuation>& chosen) {
  const auto ends = [this](TokenId token) {
    return std::find(params_.end_tokens.begin(), params_.end_tokens.end(), token) != params_.end_tokens.end();
  };
  std::vector<std::pair<std::unique_ptr<Beam>, Continuation>> taken;
  std::size_t going_on = 0;
  for (std::size_t rank = 0; rank < chosen.size() && going_on < params_.width; ++rank) {
    const bool is_end = ends(chosen[rank].token);
    if (is_end && rank >= params_.width) continue;  // a worse beam would have no place either
    going_on += is_end ? 0 : 1;
    taken.emplace_back(nullptr, chosen[rank]);
  }
  for (std::size_t i = taken.size(); i-- > 0;) {
    std::unique_ptr<Beam>& parent = beams_[taken[i].second.beam];
    const bool others_need_it = std::any_of(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(i),
                                            [&](const auto& t) { return t.second.beam == taken[i].second.beam; });
    if (others_need_it) taken[i].first = fork(*parent);
    if (!others_need_it) taken[i].first = std::move(parent);
  }
  for (const auto& left : beams_) {
    if (left) drop(*left);
  }
  beams_.clear();
  for (auto& [beam, with] : taken) add_token(*beam, with);
  for (auto& [beam, with] : taken) {
    const bool is_long = beam->tokens.size() >= longest();
    if (ends(with.token) || is_long) {
      finish(*beam, ends(with.token) ? FinishReason::end_of_sequence : FinishReason::max_tokens);
    } else {
      beams_.push_back(std::move(beam));
    }
  }
}

// --- beams

std::unique_ptr<BeamSearch::Beam> BeamSearch::fork(const Beam& parent) {
  const RequestId id{num_requests_++};
  auto beam = std::make_unique<Beam>(Beam{id, parent.tokens, parent.log_probability, BlockTable(pool_, id)});
  parent.table.fork_into(beam->table);
  sink_.emit(RequestForked{id, parent.request});
  return beam;
}

void BeamSearch::add_token(Beam& beam, const Continuation& with) {
  announce_name(with.token);
  sink_.emit(TokenSampled{beam.request, static_cast<std::uint32_t>(beam.tokens.size()), with.token});
  beam.tokens.push_back(with.token);
  beam.log_probability = with.log_probability;
}

void BeamSearch::finish(Beam& beam, FinishReason reason) {
  beam.table.release();
  sink_.emit(RequestFinished{beam.request, reason});
  finished_.push_back(answer_of(beam, true));
  std::stable_sort(finished_.begin(), finished_.end(),
                   [](const BeamAnswer& a, const BeamAnswer& b) { return a.score > b.score; });
  if (finished_.size() > params_.width) finished_.pop_back();
}

void BeamSearch::drop(Beam& beam) {
  beam.table.release();
  sink_.emit(RequestAborted{beam.request});
}

void BeamSearch::abort() {
  for (const auto& beam : beams_) drop(*beam);
  beams_.clear();
}

BeamAnswer BeamSearch::answer_of(const Beam& beam, bool finished) const {
  std::vector<TokenId> answer(beam.tokens.begin() + prompt_tokens_, beam.tokens.end());
  const double score =
      beam_score(beam.log_probability, std::max<std::size_t>(answer.size(), 1), params_.length_penalty);
  return {beam.request, std::move(answer), beam.log_probability, score, finished};
}

// A beam's log probability can only fall. What it may still reach is best when it falls no further and the length that
// divides it is the one that suits it most.
bool BeamSearch::cannot_improve() const {
  if (finished_.size() < params_.width) return false;
  for (const auto& beam : beams_) {
    const std::size_t shortest = beam->tokens.size() - prompt_tokens_ + 1;
    const double best = std::max(beam_score(beam->log_probability, shortest, params_.length_penalty),
                                 beam_score(beam->log_probability, params_.max_new_tokens, params_.length_penalty));
    if (best > finished_.back().score) return false;
  }
  return true;
}

std::vector<BeamAnswer> BeamSearch::answers() const {
  std::vector<BeamAnswer> all = finished_;
  for (const auto& beam : beams_) all.push_back(answer_of(*beam, false));
  std::stable_sort(all.begin(), all.end(), [](const BeamAnswer& a, const BeamAnswer& b) { return a.score > b.score; });
  if (all.size() > params_.width) all.resize(params_.width);
  return all;
}

void BeamSearch::announce_name(TokenId token) {
  if (named_[index(token)]) return;
  named_[index(token)] = true;
  sink_.emit(TokenNamed{token, token_text_.name(token)});
}

}  // namespace kvarium
