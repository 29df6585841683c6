#include "core/trace/timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"

namespace kvarium {
namespace {

/// Who held memory is listed once for so many steps: few enough to look through, many enough that idle holders cost
/// little.
constexpr std::uint32_t kStepsAGroup = 256;

}  // namespace

/// Adds events to a Timeline. The trace has folded them before, so they can follow each other.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(Timeline& timeline) : t_(timeline) {
    if (t_.holders_.empty()) {
      t_.holders_.emplace_back();
      t_.slots_of_step_.push_back(0);
    }
  }

  void operator()(const PoolCreated& e) { t_.block_size_ = e.block_size; }

  void operator()(const RequestArrived&) {
    Timeline::Request& request = t_.requests_.emplace_back();
    request.lane.push_back({t_.step_, 0, LaneState::waiting});
  }
  void operator()(const RequestForked& e) {
    const Timeline::Request parent = of(e.parent);
    Timeline::Request& request = t_.requests_.emplace_back();
    request.lane.push_back(
        {t_.step_, 0, LaneState::decode});  // it has computed nothing, and goes on where decoding goes on
    request.fork = Timeline::Fork{e.parent, t_.events_};
    request.table = parent.table;
    for (const BlockId block : request.table) hold(block);
    request.computed = parent.computed;
    holding_changed(e.request);
  }
  void operator()(const RequestPreempted& e) {
    enter(e.request, of(e.request).swapped ? LaneState::swapped : LaneState::preempted);
    of(e.request).computed = 0;
    holding_changed(e.request);
  }
  void operator()(const RequestFinished& e) { end(e.request); }
  void operator()(const RequestAborted& e) { end(e.request); }

  void operator()(const BlockAllocated& e) { gain(e.request, e.block); }
  void operator()(const BlockShared& e) { gain(e.request, e.block); }
  void operator()(const BlockReused& e) { gain(e.request, e.block); }
  void operator()(const BlockReleased& e) {
    std::vector<BlockId>& table = of(e.request).table;
    const auto entry = std::find(table.rbegin(), table.rend(), e.block);
    if (entry != table.rend()) table.erase(std::prev(entry.base()));
    let_go(e.block);
    holding_changed(e.request);
  }
  void operator()(const BlockCopied& e) { swap_entry(e.request, e.logical, e.from, e.to); }
  void operator()(const BlockReplaced& e) { swap_entry(e.request, e.logical, e.from, e.to); }
  void operator()(const RegionReserved& e) {
    of(e.request).region_slots = e.num_slots;
    t_.region_slots_ += e.num_slots;
    holding_changed(e.request);
  }
  void operator()(const RegionReleased& e) {
    t_.region_slots_ -= std::exchange(of(e.request).region_slots, 0);
    holding_changed(e.request);
  }

  void operator()(const KvSwappedOut& e) { of(e.request).swapped = true; }
  void operator()(const KvSwappedIn& e) {
    of(e.request).swapped = false;
    of(e.request).computed = e.tokens;
    holding_changed(e.request);
  }
  void operator()(const PrefixMatched& e) {
    of(e.request).computed = e.hit_tokens;
    holding_changed(e.request);
  }

  void operator()(const StepStarted& e) {
    t_.step_ = static_cast<std::uint32_t>(e.step);
    t_.slots_of_step_.push_back(slots_now());
    if (t_.step_ % kStepsAGroup != 0) return;
    t_.holders_.emplace_back();
    for (const RequestId id : t_.holding_now_) list_in_group(id);
  }
  void operator()(const KvComputed& e) {
    enter(e.request, e.phase == Phase::prefill ? LaneState::prefill : LaneState::decode);
    WorkRow& row = row_of_this_step(e.request);
    const bool goes_on = row.count > 0 && row.kept == e.kept && e.first == row.first + row.count;
    if (!goes_on) row.first = e.first;
    row.count = e.first + e.count - row.first;
    row.kept = e.kept;
    row.phase = e.phase;
    if (!e.kept) return;
    of(e.request).computed = e.first + e.count;
    holding_changed(e.request);
  }
  void operator()(const KvRead& e) {
    if (e.count > 0) row_of_this_step(e.request).read_count = e.count;
  }
  void operator()(const RolledBack& e) {
    Timeline::Request& request = of(e.request);
    request.computed = std::min(request.computed, e.kept_tokens);
    holding_changed(e.request);
  }
  template <typename Other>
  void operator()(const Other&) {}

 private:
  Timeline::Request& of(RequestId id) { return t_.requests_[index(id)]; }

  /// The request is in this state from this step on. A state that another follows in the same step leaves no segment.
  void enter(RequestId id, LaneState state) {
    std::vector<LaneSegment>& lane = of(id).lane;
    if (of(id).ended || lane.back().state == state) return;
    lane.back().end_step = t_.step_;
    if (lane.back().first_step == t_.step_) lane.pop_back();
    if (!lane.empty() && lane.back().state == state) return;
    lane.push_back({t_.step_, 0, state});
  }
  void end(RequestId id) {
    of(id).ended = true;
    of(id).lane.back().end_step = t_.step_ + 1;
  }

  WorkRow& row_of_this_step(RequestId id) {
    std::vector<WorkRow>& rows = of(id).rows;
    if (rows.empty() || rows.back().step != t_.step_) rows.push_back({.step = t_.step_});
    return rows.back();
  }

  std::uint64_t slots_now() const { return t_.used_blocks_ * t_.block_size_ + t_.region_slots_; }
  void hold(BlockId block) {
    if (index(block) >= t_.tables_of_.size()) t_.tables_of_.resize(index(block) + 1, 0);
    if (t_.tables_of_[index(block)]++ == 0) ++t_.used_blocks_;
  }
  void let_go(BlockId block) {
    if (t_.tables_of_[index(block)] > 0 && --t_.tables_of_[index(block)] == 0) --t_.used_blocks_;
  }
  void gain(RequestId id, BlockId block) {
    of(id).table.push_back(block);
    hold(block);
    holding_changed(id);
  }
  void swap_entry(RequestId id, std::uint32_t logical, BlockId from, BlockId to) {
    of(id).table[logical] = to;
    hold(to);
    let_go(from);
    holding_changed(id);
  }
  void holding_changed(RequestId id) {
    Timeline::Request& request = of(id);
    std::vector<Holding>& holdings = request.holdings;
    const std::uint64_t slots = request.region_slots > 0 ? request.region_slots : request.table.size() * t_.block_size_;
    request.computed = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.computed, slots));
    const std::uint64_t before = holdings.empty() ? 0 : holdings.back().slots;
    t_.slots_of_step_.back() = slots_now();
    if (holdings.empty() || holdings.back().step != t_.step_) holdings.push_back({.step = t_.step_});
    holdings.back() = {t_.step_, request.computed, slots};
    if (before == 0 && slots > 0) {
      t_.holding_now_.insert(id);
      list_in_group(id);
    } else if (before > 0 && slots == 0) {
      t_.holding_now_.erase(id);
    }
  }
  void list_in_group(RequestId id) {
    const std::size_t group = t_.holders_.size() - 1;
    if (of(id).listed_in_group == group) return;
    of(id).listed_in_group = group;
    t_.holders_.back().push_back(id);
  }

  Timeline& t_;
};

namespace {

struct RequestOf {
  template <typename E>
  RequestId operator()(const E& e) const {
    if constexpr (requires { e.request; }) {
      return e.request;
    } else {
      return RequestId{};
    }
  }
};
struct BlockOf {
  template <typename E>
  BlockId operator()(const E& e) const {
    if constexpr (requires { e.block; }) {
      return e.block;
    } else {
      return BlockId{};
    }
  }
};

}  // namespace

void Timeline::follow(const Trace& trace) {
  TimelineBuilder builder(*this);
  for (; events_ < trace.size(); ++events_) {
    const Event& event = trace[events_];
    std::visit(builder, event);
    const Mark mark = trace.mark(events_);
    if (mark == Mark::none || mark == Mark::step) continue;
    marks_.push_back({events_, step_, std::visit(RequestOf{}, event), std::visit(BlockOf{}, event), mark});
  }
}

const Timeline::Request& Timeline::at(RequestId request) const {
  if (index(request) >= requests_.size()) {
    throw MisuseError("there is no request " + std::to_string(value(request)));
  }
  return requests_[index(request)];
}

std::vector<LaneSegment> Timeline::lane(RequestId request) const {
  std::vector<LaneSegment> segments = at(request).lane;
  if (!at(request).ended && !segments.empty()) segments.back().end_step = step_ + 1;
  return segments;
}

const WorkRow* Timeline::work_row(RequestId request, std::uint32_t step) const {
  const std::vector<WorkRow>& rows = at(request).rows;
  const auto found = std::lower_bound(rows.begin(), rows.end(), step,
                                      [](const WorkRow& row, std::uint32_t wanted) { return row.step < wanted; });
  return found != rows.end() && found->step == step ? &*found : nullptr;
}

Holding Timeline::held(RequestId request, std::uint32_t step) const {
  const std::vector<Holding>& holdings = at(request).holdings;
  const auto later = std::upper_bound(holdings.begin(), holdings.end(), step,
                                      [](std::uint32_t wanted, const Holding& h) { return wanted < h.step; });
  return later == holdings.begin() ? Holding{} : *std::prev(later);
}

std::vector<RequestId> Timeline::holders(std::uint32_t step) const {
  std::vector<RequestId> ids;
  if (step / kStepsAGroup >= holders_.size()) return ids;
  for (const RequestId id : holders_[step / kStepsAGroup]) {
    if (held(id, step).slots > 0) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::uint64_t Timeline::held_slots(std::uint32_t step) const {
  return step < slots_of_step_.size() ? slots_of_step_[step] : 0;
}

std::span<const TimelineMark> Timeline::marks_of_steps(std::uint32_t first, std::uint32_t end) const {
  const auto before = [](const TimelineMark& mark, std::uint32_t step) { return mark.step < step; };
  const auto from = std::lower_bound(marks_.begin(), marks_.end(), first, before);
  const auto to = std::lower_bound(from, marks_.end(), end, before);
  return {from, to};
}

}  // namespace kvarium
