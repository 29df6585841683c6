#include "core/trace/mark.h"

namespace kvarium {
namespace {

struct MarkOf {
  Mark operator()(const RequestArrived&) const { return Mark::arrived; }
  Mark operator()(const RequestAdmitted&) const { return Mark::admitted; }
  Mark operator()(const RequestPreempted&) const { return Mark::preempted; }
  Mark operator()(const RequestFinished&) const { return Mark::finished; }
  Mark operator()(const RequestAborted&) const { return Mark::aborted; }
  Mark operator()(const BlockAllocated&) const { return Mark::allocated; }
  Mark operator()(const RegionReserved&) const { return Mark::allocated; }
  Mark operator()(const BlockShared&) const { return Mark::shared; }
  Mark operator()(const BlockReleased&) const { return Mark::released; }
  Mark operator()(const RegionReleased&) const { return Mark::released; }
  Mark operator()(const RolledBack&) const { return Mark::rolled_back; }
  Mark operator()(const StepStarted&) const { return Mark::step; }
  Mark operator()(const Said&) const { return Mark::said; }
  Mark operator()(const Asked&) const { return Mark::asked; }
  template <typename Other>
  Mark operator()(const Other&) const {
    return Mark::none;
  }
};

}  // namespace

Mark mark_of(const Event& event) { return std::visit(MarkOf{}, event); }

}  // namespace kvarium
