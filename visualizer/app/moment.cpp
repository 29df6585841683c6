#include "visualizer/app/moment.h"

#include <utility>

#include "core/trace/describe.h"
#include "core/trace/invariants.h"
#include "core/words/words.h"

namespace kvarium::ui {
namespace {

constexpr std::size_t kMostSentences = 3;

/// Events that a person wants to hear of when a whole step is told at once.
bool is_told(const Trace& trace, std::size_t event) {
  if (std::holds_alternative<TokenSampled>(trace[event])) return true;
  const Mark mark = trace.mark(event);
  return mark != Mark::none && mark != Mark::step && mark != Mark::said && mark != Mark::asked;
}

/// What is told first when not all fits: a block's coming and going before tokens.
int weight(const Trace& trace, std::size_t event) { return std::holds_alternative<TokenSampled>(trace[event]) ? 0 : 1; }

std::vector<std::size_t> told_events(const Trace& trace, std::size_t first, std::size_t last) {
  std::vector<std::size_t> events;
  for (int least = 1; least >= 0 && events.size() < kMostSentences; --least) {
    for (std::size_t event = first; event < last && events.size() < kMostSentences; ++event) {
      if (is_told(trace, event) && weight(trace, event) == least) events.push_back(event);
    }
  }
  return events;
}

std::vector<std::size_t> table_sizes(const World& world) {
  std::vector<std::size_t> sizes;
  sizes.reserve(world.requests.size());
  for (const auto& request : world.requests) sizes.push_back(request->table.size());
  return sizes;
}

}  // namespace

std::string what_happened(const Player& player, Granularity granularity) {
  const Trace& trace = player.trace();
  if (player.at_start()) return std::string(tr("Nothing has happened yet."));
  const std::size_t position = player.position();
  if (granularity == Granularity::event) return describe(trace, position - 1, position).front();
  const std::uint64_t step = trace.step_at(position);
  const std::size_t first = step == 0 ? 0 : trace.start_of_step(step);
  std::string told;
  for (const std::size_t event : told_events(trace, first, position)) {
    told += (told.empty() ? "" : "  ") + describe(trace, event, event + 1).front();
  }
  return told.empty() ? describe(trace, position - 1, position).front() : told;
}

bool Moment::follow(const Player& player, Granularity granularity, double time, double seconds) {
  const World& world = player.world();
  if (shown && position == player.position()) return false;
  before = shown ? std::move(picture) : layout::PoolPicture{};
  picture = layout::pool_picture(world);
  has_step_start = world.step > 0 && layout::removes_nodes(player.trace(), world);
  if (has_step_start) player.trace().seek(step_start, player.trace().start_of_step(world.step));
  layout::add_step(picture, player.trace(), world, step_start);
  if (!shown || before.blocks.size() != picture.blocks.size()) before = picture;
  tables_before = std::exchange(tables, table_sizes(world));
  violations = kvarium::violations(world);
  invariants_that_hold = violations.empty() ? kInvariantCount : kvarium::invariants_that_hold(world);
  now = what_happened(player, granularity);
  tween = {time, seconds};
  position = player.position();
  shown = true;
  return true;
}

}  // namespace kvarium::ui
