#include "core/trace/player.h"

#include <algorithm>

namespace kvarium {

void Player::seek(std::size_t n) { trace_->seek(world_, std::min(n, trace_->size())); }

void Player::seek_step(std::uint64_t step) {
  seek(step < trace_->num_steps() ? trace_->start_of_step(step + 1) : trace_->size());
}

bool Player::forward(Granularity granularity) { return go(position_forward(granularity)); }

bool Player::back(Granularity granularity) { return go(position_back(granularity)); }

bool Player::next_mark(MarkSet marks) { return go(after_next(marks)); }

bool Player::previous_mark(MarkSet marks) { return go(after_previous(marks)); }

std::size_t Player::position_forward(Granularity granularity) const {
  const std::size_t at = position();
  if (granularity == Granularity::event) return std::min(at + 1, trace_->size());
  if (granularity == Granularity::request) return after_next(kRequestBoundaries).value_or(trace_->size());
  // Step s ends where step s + 1 starts. Between two steps, the position is the end of one already.
  std::uint64_t next = trace_->step_at(at) + 1;
  if (next <= trace_->num_steps() && trace_->start_of_step(next) == at) ++next;
  return next <= trace_->num_steps() ? trace_->start_of_step(next) : trace_->size();
}

std::size_t Player::position_back(Granularity granularity) const {
  const std::size_t at = position();
  if (granularity == Granularity::event) return at == 0 ? 0 : at - 1;
  if (granularity == Granularity::request) return after_previous(kRequestBoundaries).value_or(0);
  const std::uint64_t step = trace_->step_at(at);  // started before this position
  return step == 0 ? 0 : trace_->start_of_step(step);
}

std::optional<std::size_t> Player::after_next(MarkSet marks) const {
  for (std::size_t n = position(); n < trace_->size(); ++n) {
    if (marks.contains(trace_->mark(n))) return n + 1;
  }
  return std::nullopt;
}

std::optional<std::size_t> Player::after_previous(MarkSet marks) const {
  if (at_start()) return std::nullopt;
  for (std::size_t n = position() - 1; n > 0; --n) {
    if (marks.contains(trace_->mark(n - 1))) return n;
  }
  return std::nullopt;
}

bool Player::go(std::optional<std::size_t> position_wanted) {
  if (!position_wanted || *position_wanted == position()) return false;
  seek(*position_wanted);
  return true;
}

}  // namespace kvarium
