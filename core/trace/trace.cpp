#include "core/trace/trace.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace kvarium {
namespace {

/// The memory of an event, bytes; of what lies outside it, only what can be large in number.
std::size_t bytes_of(const Event& event) {
  if (const auto* arrived = std::get_if<RequestArrived>(&event)) {
    return sizeof(Event) + arrived->prompt.size() * sizeof(TokenId);
  }
  if (const auto* pool = std::get_if<PoolCreated>(&event)) {
    return sizeof(Event) + pool->hand_out_order.size() * sizeof(BlockId);
  }
  return sizeof(Event);
}

/// What a copy of the World will cost, bytes: its arrays, and each request that changed since the last copy.
std::size_t bytes_of_copy(const World& world) {
  constexpr std::size_t kFreeQueueLink = 12;
  std::size_t bytes = sizeof(World) + world.blocks.size() * (sizeof(BlockState) + kFreeQueueLink);
  for (const auto& request : world.requests) {
    bytes += sizeof request;
    if (request.shared()) continue;
    bytes += sizeof(RequestState) + request->tokens.size() * sizeof(TokenId) + request->table.size() * sizeof(BlockId);
  }
  if (!world.token_text.shared()) bytes += world.token_text->size() * (sizeof(std::string) + 4 * sizeof(void*));
  return bytes;
}

}  // namespace

void Trace::emit(Event event) {
  if (size_ % kChunkEvents == 0 && chunks_.size() == size_ / kChunkEvents) {
    chunks_.push_back(std::make_unique<Chunk>());
  }
  fold(newest_, event);
  const Mark mark = mark_of(event);
  if (mark == Mark::step) step_starts_.push_back(size_);
  marks_.push_back(mark);
  bytes_since_checkpoint_ += bytes_of(event);
  (*chunks_[size_ / kChunkEvents])[size_ % kChunkEvents] = std::move(event);
  ++size_;
  if (bytes_since_checkpoint_ >= bytes_to_next_checkpoint_) make_checkpoint();
}

void Trace::make_checkpoint() {
  const std::size_t cost = bytes_of_copy(newest_);
  if (bytes_since_checkpoint_ < cost) {
    bytes_to_next_checkpoint_ = cost;
    return;
  }
  checkpoints_.push_back(newest_);
  bytes_since_checkpoint_ = 0;
  bytes_to_next_checkpoint_ = std::max(kCheckpointEvents * sizeof(Event), cost);
}

World Trace::world_at(std::size_t n) const {
  World world;
  seek(world, n);
  return world;
}

void Trace::seek(World& world, std::size_t n) const {
  if (n > size_) {
    throw MisuseError("position " + std::to_string(n) + " of a trace of " + std::to_string(size_) + " events");
  }
  const auto later = std::upper_bound(checkpoints_.begin(), checkpoints_.end(), n,
                                      [](std::size_t at, const World& w) { return at < w.events; });
  const std::size_t checkpoint = later == checkpoints_.begin() ? 0 : std::prev(later)->events;
  if (world.events > n || world.events < checkpoint) {
    if (n == size_) {
      world = newest_;
    } else {
      world = later == checkpoints_.begin() ? World{} : *std::prev(later);
    }
  }
  while (world.events < n) fold(world, (*this)[world.events]);
}

std::size_t Trace::start_of_step(std::uint64_t step) const {
  if (step == 0 || step > step_starts_.size()) {
    throw MisuseError("step " + std::to_string(step) + " of a trace of " + std::to_string(step_starts_.size()) +
                      " steps");
  }
  return step_starts_[step - 1];
}

std::uint64_t Trace::step_at(std::size_t n) const {
  const auto later = std::lower_bound(step_starts_.begin(), step_starts_.end(), n);
  return static_cast<std::uint64_t>(later - step_starts_.begin());
}

}  // namespace kvarium
