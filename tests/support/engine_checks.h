#pragma once
// The World that the events build must equal what the live structures say of themselves.

#include <string>

#include "core/engine.h"
#include "core/trace/world.h"
#include "tests/support/catch.h"

namespace kvarium_test {

using namespace kvarium;

/// In the notation of BlockPool::show().
inline std::string show_pool_of(const World& world) {
  std::string text = "free";
  for (const BlockId block : world.free_blocks.order()) text += " " + std::to_string(value(block));
  text += " | used";
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    if (world.blocks[i].ref_count > 0) {
      text += " " + std::to_string(i) + "x" + std::to_string(world.blocks[i].ref_count);
    }
  }
  return text;
}

inline void check_request(const RequestState& folded, const Request& live, const BlockTable* table) {
  INFO("request " << letter(live.id));
  CHECK(folded.status == live.status);
  CHECK(folded.tokens == live.tokens);
  CHECK(folded.prompt_tokens == live.prompt_tokens);
  CHECK(folded.max_new_tokens == live.max_new_tokens);
  CHECK(folded.preemptions == live.preemptions);
  if (live.status == RequestStatus::finished) CHECK(folded.finish_reason == live.finish_reason);
  CHECK(folded.table == (table == nullptr ? std::vector<BlockId>{} : table->blocks()));
  if (table != nullptr) CHECK(folded.computed_tokens == table->num_tokens());
}

/// Folds what the sink received since the last call and compares.
class WorldCheck {
 public:
  void operator()(const VectorSink& sink, const Engine& engine) {
    for (; folded_ < sink.events.size(); ++folded_) fold(world_, sink.events[folded_]);
    CHECK(show_pool_of(world_) == engine.pool().show());
    for (std::size_t i = 0; i < world_.requests.size(); ++i) {
      const RequestId id{static_cast<std::uint32_t>(i)};
      check_request(world_.request(id), engine.request(id), engine.table(id));
    }
  }
  const World& world() const { return world_; }

 private:
  World world_;
  std::size_t folded_ = 0;
};

}  // namespace kvarium_test
