#include "core/metrics/round_log.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/blocks/blocks_for.h"

namespace kvarium {
namespace {

/// Adds to a round what its own events say.
class RoundReader {
 public:
  RoundReader(RoundRecord& record, std::uint32_t block_size) : record_(record), block_size_(block_size) {}

  void read(const Event& event) {
    if (const auto* drafts = std::get_if<DraftProposed>(&event)) begun_ = begun_ || is_its(drafts->request);
    if (const auto* computed = std::get_if<DraftKvComputed>(&event); computed && is_its(computed->request)) {
      record_.draft_read = std::max(record_.draft_read, computed->first + computed->count);
    }
    if (!begun_) return;
    if (const auto* taken = std::get_if<BlockAllocated>(&event); taken && is_its(taken->request)) {
      record_.taken.push_back(taken->block);
    }
    if (const auto* sampled = std::get_if<TokenSampled>(&event); sampled && is_its(sampled->request)) ++record_.given;
    if (const auto* back = std::get_if<RolledBack>(&event); back && is_its(back->request)) kept_ = back->kept_tokens;
    const auto* released = std::get_if<BlockReleased>(&event);
    if (released && is_its(released->request) && is_rejected(released->block)) {
      record_.returned.push_back(released->block);
    }
  }

 private:
  bool is_its(RequestId id) const { return id == record_.request; }

  /// Was the block taken for positions that were taken back? The request's other blocks return when it ends.
  bool is_rejected(BlockId block) const {
    const auto at = std::find(record_.taken.begin(), record_.taken.end(), block);
    if (!kept_ || at == record_.taken.end()) return false;
    const std::uint64_t held_before = blocks_for(record_.round.first - 1, block_size_);  // the newest token had none
    const auto logical = held_before + static_cast<std::uint64_t>(at - record_.taken.begin());
    return logical >= blocks_for(*kept_, block_size_);
  }

  RoundRecord& record_;
  std::uint32_t block_size_;
  bool begun_ = false;
  std::optional<std::uint32_t> kept_;
};

}  // namespace

std::vector<RoundRecord> rounds_of_step(const Trace& trace, const World& now) {
  std::vector<RoundRecord> records;
  if (now.step == 0) return records;
  const std::size_t start = trace.start_of_step(now.step);
  for (const RequestId id : now.step_requests) {
    const RequestState& request = now.request(id);
    if (!request.round) continue;
    RoundRecord& record = records.emplace_back(RoundRecord{now.step, id, *request.round, {}, {}, 0, 0});
    RoundReader reader(record, now.block_size);
    for (std::size_t i = start; i < now.events; ++i) reader.read(trace[i]);
  }
  return records;
}

void RoundLog::follow(const Trace& trace) {
  while (world_.events < trace.size()) {
    const Event& event = trace[world_.events];
    if (std::holds_alternative<StepStarted>(event)) {
      for (RoundRecord& record : rounds_of_step(trace, world_)) ended_.push_back(std::move(record));
    }
    fold(world_, event);
  }
}

Rounds::Rounds(const RoundLog& log, const Trace& trace, const World& now)
    : log_(&log), open_(rounds_of_step(trace, now)) {
  const auto& ended = log.ended();
  const auto first = std::partition_point(ended.begin(), ended.end(),
                                          [&](const RoundRecord& record) { return record.step < now.step; });
  num_ended_ = static_cast<std::size_t>(first - ended.begin());
}

}  // namespace kvarium
