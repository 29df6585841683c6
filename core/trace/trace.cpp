#include "core/trace/trace.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "core/error.h"
#include "core/trace/event_fields.h"

namespace kvarium {
namespace {

std::size_t heap_bytes(const std::string& text) { return text.capacity(); }
template <typename T>
std::size_t heap_bytes(const std::vector<T>& list) {
  std::size_t bytes = list.size() * sizeof(T);
  if constexpr (std::is_same_v<T, std::string>) {
    for (const std::string& text : list) bytes += heap_bytes(text);
  }
  return bytes;
}

/// What texts and lists of an event take outside of it, bytes.
template <typename E>
std::size_t payload(const E& event) {
  std::size_t bytes = 0;
  Fields<E>::each(event, [&bytes](std::string_view, const auto& field) {
    if constexpr (requires { heap_bytes(field); }) bytes += heap_bytes(field);
  });
  return bytes;
}

std::size_t bytes_of(const Event& event) {
  return sizeof(Event) + std::visit([](const auto& e) { return payload(e); }, event);
}

/// What a copy of the World will cost, bytes: its arrays and texts, and each request that changed since the last copy.
std::size_t bytes_of_copy(const World& world) {
  constexpr std::size_t kFreeQueueLink = 12, kMapEntry = 64;
  std::size_t bytes = sizeof(World) + world.blocks.size() * (sizeof(BlockState) + kFreeQueueLink);
  for (const auto& request : world.requests) {
    bytes += sizeof request;
    if (request.shared()) continue;
    bytes += sizeof(RequestState) + heap_bytes(request->tokens) + heap_bytes(request->table);
  }
  for (const auto& node : world.radix) {
    bytes += sizeof node;
    if (!node.shared()) bytes += sizeof(RadixNodeState) + heap_bytes(node->tokens) + heap_bytes(node->blocks);
  }
  if (!world.token_text.shared()) {
    for (const auto& [token, text] : *world.token_text) bytes += kMapEntry + heap_bytes(text);
  }
  if (world.said) bytes += payload(*world.said);
  if (world.asked) bytes += payload(*world.asked);
  return bytes + heap_bytes(world.lesson_title) + heap_bytes(world.model.name);
}

}  // namespace

void Trace::emit(Event event) {
  if (chunks_.size() == size_ / kChunkEvents) chunks_.emplace_back().reserve(kChunkEvents);
  fold(newest_, event);
  const Mark mark = mark_of(event);
  if (mark == Mark::step) step_starts_.push_back(size_);
  marks_.push_back(mark);
  bytes_since_checkpoint_ += bytes_of(event);
  chunks_.back().push_back(std::move(event));
  ++size_;
  if (bytes_since_checkpoint_ >= bytes_to_next_checkpoint_) make_checkpoint();
}

void Trace::make_checkpoint() {
  const std::size_t cost = 2 * bytes_of_copy(newest_);
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
  const bool start_anew = world.events > n || world.events < checkpoint;
  if (start_anew && n == size_) {
    world = newest_;
  } else if (start_anew && checkpoint > 0) {
    world = *std::prev(later);
  } else if (start_anew) {
    world = World();
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
