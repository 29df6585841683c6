#pragma once
// The World that the events build must equal what the live structures say of themselves.

#include <string>
#include <vector>

#include "core/engine.h"
#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/trace/world.h"
#include "tests/support/catch.h"

namespace kvarium_test {

using namespace kvarium;

inline void check_request(const World& world, const Request& live, const BlockTable* table) {
  const RequestState& folded = world.request(live.id);
  INFO("request " << letter(live.id));
  CHECK(folded.status == live.status);
  CHECK(folded.tokens == live.tokens);
  CHECK(folded.prompt_tokens == live.prompt_tokens);
  CHECK(folded.max_new_tokens == live.max_new_tokens);
  CHECK(folded.preemptions == live.preemptions);
  if (live.status == RequestStatus::finished) CHECK(folded.finish_reason == live.finish_reason);
  if (table != nullptr) {
    CHECK(show_table(world, live.id) == table->show());
  } else {
    CHECK(folded.table.empty());
  }
}

/// Folds what the sink received since the last call and compares.
class WorldCheck {
 public:
  void operator()(const VectorSink& sink, const Engine& engine) {
    for (; folded_ < sink.events.size(); ++folded_) fold(world_, sink.events[folded_]);
    CHECK(show_pool(world_) == engine.pool().show());
    const std::string prefixes = engine.prefix_cache().show();
    if (!prefixes.empty()) CHECK((world_.radix.empty() ? show_cached(world_) : show_radix(world_)) == prefixes);
    CHECK(engine.prefix_cache().violations() == std::vector<std::string>{});
    CHECK(violations(world_) == std::vector<std::string>{});
    settled_.resize(world_.requests.size(), false);
    for (std::size_t i = 0; i < world_.requests.size(); ++i) {
      if (settled_[i]) continue;  // it ended before, was compared then, and never changes again
      const RequestId id{static_cast<std::uint32_t>(i)};
      check_request(world_, engine.request(id), engine.table(id));
      settled_[i] = world_.requests[i]->ended();
    }
  }
  const World& world() const { return world_; }

 private:
  World world_;
  std::size_t folded_ = 0;
  std::vector<bool> settled_;  // by request
};

}  // namespace kvarium_test
