#include "core/trace/world.h"

#include <algorithm>

#include "core/error.h"
#include "core/trace/fold/folder.h"

namespace kvarium {

void cannot_follow(const std::string& what) { throw MisuseError("this event cannot follow: " + what); }

const RequestState& World::request(RequestId id) const {
  if (index(id) >= requests.size()) throw MisuseError("there is no request " + std::to_string(value(id)));
  return *requests[index(id)];
}

std::string World::text_of(TokenId token) const {
  const auto found = token_text->find(value(token));
  return found == token_text->end() ? "#" + std::to_string(value(token)) : found->second;
}

void fold(World& world, const Event& event) {
  std::visit(Folder(world), event);
  ++world.events;
}

std::uint32_t filled_slots(const World& world, const RequestState& request, std::size_t i) {
  const std::uint64_t start = std::uint64_t{i} * world.block_size;
  if (request.computed_tokens <= start) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(request.computed_tokens - start, world.block_size));
}

std::uint64_t held_slots(const World& world, const RequestState& request) {
  if (request.region) return request.region->num_slots;
  return std::uint64_t{request.table.size()} * world.block_size;
}

std::vector<std::uint64_t> read_steps(const World& world) {
  std::vector<std::uint64_t> steps(world.blocks.size(), 0);
  for (const auto& request : world.requests) {
    for (std::size_t i = 0; i < request->table.size(); ++i) {
      if (std::uint64_t{i} * world.block_size >= request->last_read_count) break;
      std::uint64_t& step = steps[index(request->table[i])];
      step = std::max(step, request->last_read_step);
    }
  }
  return steps;
}

RadixSizes radix_sizes(const World& world) {
  RadixSizes sizes;
  for (const auto& node : world.radix) (node->locks > 0 ? sizes.locked : sizes.evictable) += node->tokens.size();
  return sizes;
}

}  // namespace kvarium
