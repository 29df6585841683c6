#include "cuda/simt/emulator/block.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/fault.h"
#include "cuda/simt/emulator/kernel_text.h"
#include "cuda/simt/emulator/sanitizers.h"
#include "cuda/simt/emulator/shared_memory.h"

namespace kvarium::cuda::emulator {
namespace {

thread_local Block* current_block = nullptr;

/// Thrown through a kernel whose launch has failed elsewhere.
struct Unwind {};

uint3 thread_index(unsigned thread, const dim3& block) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

}  // namespace

Block* Block::current() { return current_block; }

Block::Block(const KernelLaunch& launch)
    : launch_(launch),
      threads_(launch.block.volume()),
      warps_((launch.block.volume() + kWarpSize - 1) / kWarpSize),
      shared_(std::make_unique<SharedMemory>(launch.shared_bytes, launch.options)),
      race_clock_(launch.options.check_races ? warps_.size() : 0),
      random_(launch.options.seed) {
  for (unsigned t = 0; t < num_threads(); ++t) {
    threads_[t].index = thread_index(t, launch.block);
    warps_[t / kWarpSize].lanes |= 1U << (t % kWarpSize);
  }
}

Block::~Block() {
  unwind();
  tsan_acquire(&end_token_);
}

void Block::begin(const uint3& index) {
  unwind();
  index_ = index;
  ++num_blocks_;
  for (Thread& thread : threads_) {
    thread.state = ThreadState::unstarted;
    thread.waits_at = "";
    thread.shown.clear();
  }
  for (Warp& warp : warps_) {
    warp.returned = 0;
    for (OpenCall& call : warp.calls) call.mask = 0;
  }
  num_returned_ = 0;
  num_at_barrier_ = 0;
  failure_ = nullptr;
  for (unsigned t = 0; copies_ != nullptr && t < num_threads(); ++t) forget_copies(copies_[t]);
  shared_->begin_block();
  race_clock_.meet_at_barrier();
  tsan_release(&start_token_);
}

void Block::run() {
  try {
    while (run_phase()) {
    }
    if (launch_.options.log != nullptr) launch_.options.log->end_block();
  } catch (...) {
    unwind();
    if (launch_.options.log != nullptr) launch_.options.log->end_block();
    throw;
  }
}

bool Block::run_phase() {
  const unsigned first = launch_.options.order == ThreadOrder::shuffled ? next_random() % num_warps() : 0;
  for (unsigned i = 0; i < num_warps(); ++i) {
    const unsigned warp = (first + i) % num_warps();
    run_warp(launch_.options.order == ThreadOrder::reverse ? num_warps() - 1 - warp : warp);
  }
  return open_barrier();
}

bool Block::can_run(unsigned thread) const {
  const ThreadState state = threads_[thread].state;
  return state == ThreadState::unstarted || state == ThreadState::ready || state == ThreadState::paused;
}

bool Block::step_thread(unsigned thread) {
  if (!can_run(thread)) return false;
  resume(thread);
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

void Block::run_warp(unsigned warp) {
  while (run_lanes_once(warp)) {
  }
}

/// False when no lane could run.
bool Block::run_lanes_once(unsigned warp) {
  const unsigned first = warp * kWarpSize;
  // An odd stride visits every lane once: a cheap shuffle.
  const bool shuffled = launch_.options.order == ThreadOrder::shuffled;
  const unsigned start = shuffled ? next_random() : 0;
  const unsigned stride = shuffled ? next_random() | 1U : 1U;
  bool has_run = false;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    unsigned lane = (start + i * stride) % kWarpSize;
    if (launch_.options.order == ThreadOrder::reverse) lane = kWarpSize - 1 - lane;
    if (first + lane < threads_.size()) has_run = step_thread(first + lane) || has_run;
  }
  return has_run;
}

bool Block::open_barrier() {
  if (all_returned()) return false;
  if (num_at_barrier_ + num_returned_ != threads_.size()) {
    throw KernelFault(FaultKind::deadlock, block_text(*this) + ": nobody can go on: " + waiting());
  }
  check_meeting_at_barrier();
  meeting_ = {};
  for (Thread& thread : threads_) {
    if (thread.state != ThreadState::at_barrier) continue;
    thread.state = ThreadState::ready;
    meeting_.num_threads += 1;
    meeting_.num_true += thread.predicate ? 1 : 0;
  }
  num_at_barrier_ = 0;
  ++num_barriers_;
  race_clock_.meet_at_barrier();
  return true;
}

void Block::check_meeting_at_barrier() const {
  if (num_returned_ != 0 && !launch_.options.allow_early_exit) {
    throw KernelFault(FaultKind::barrier, block_text(*this) + ": not every thread comes to the barrier: " + waiting());
  }
  if (launch_.options.allow_different_barriers) return;
  const Thread* first = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state != ThreadState::at_barrier) continue;
    if (first == nullptr) first = &thread;
    if (!(thread.site == first->site)) {
      throw KernelFault(FaultKind::barrier, block_text(*this) + ": threads wait at different barriers: " + waiting());
    }
  }
}

void Block::thread_main(void* self) {
  auto* block = static_cast<Block*>(self);
  const unsigned me = block->running_;
  tsan_acquire(&block->start_token_);
  try {
    block->launch_.kernel();
    block->returned(me);
  } catch (const Unwind&) {
    ;  // the failure that caused it is kept already
  } catch (...) {
    if (!block->failure_) block->failure_ = std::current_exception();
  }
  block->threads_[me].state = ThreadState::returned;
  ++block->num_returned_;
  tsan_release(&block->end_token_);
}

void Block::resume(unsigned index) {
  Thread& thread = threads_[index];
  Block* const outer = std::exchange(current_block, this);
  running_ = index;
  threadIdx = thread.index;
  blockIdx = index_;
  blockDim = launch_.block;
  gridDim = launch_.grid;
  if (thread.state == ThreadState::unstarted) {
    thread.state = ThreadState::ready;
    thread.fiber = &fiber_pool().take((num_blocks_ % 2) * kMostThreads + index);
    thread.fiber->start(&Block::thread_main, this);
  } else {
    thread.state = ThreadState::ready;
    thread.fiber->resume();
  }
  current_block = outer;
  if (thread.state == ThreadState::returned) fiber_pool().give_back(*std::exchange(thread.fiber, nullptr));
}

void Block::suspend(ThreadState state, const char* name, const Site& site) {
  Thread& thread = threads_[running_];
  thread.state = state;
  thread.waits_at = name;
  thread.site = site;
  thread.fiber->suspend();
  if (unwinding_) throw Unwind{};
}

void Block::returned(unsigned index) {
  if (copies_ != nullptr) land_all_copies(copies_[index]);
  Warp& warp = warps_[index / kWarpSize];
  warp.returned |= 1U << (index % kWarpSize);
  for (OpenCall& call : warp.calls) {
    if (call.mask != 0) complete_if_all_are_here(index / kWarpSize, call);
  }
}

bool Block::is_left_out(const Site& site) const {
  if (std::vector<Site>* sites = launch_.options.orderings) {
    const Unseen unseen;
    if (std::find(sites->begin(), sites->end(), site) == sites->end()) sites->push_back(site);
  }
  return site == launch_.options.without;
}

Meeting Block::barrier(const char* name, bool predicate, const Site& site) {
  if (is_left_out(site)) return {};
  char* token = &barrier_tokens_[num_barriers_ % 2];
  tsan_release(token);
  threads_[running_].predicate = predicate;
  ++num_at_barrier_;
  suspend(ThreadState::at_barrier, name, site);
  tsan_acquire(token);
  return meeting_;
}

CopyQueue& Block::copies() {
  if (copies_ == nullptr) {
    const Unseen unseen;
    copies_ = std::make_unique<CopyQueue[]>(threads_.size());
  }
  return copies_[running_];
}

void Block::pause(const char* label, const Site& site) {
  if (pauses_) suspend(ThreadState::paused, label, site);
}

void Block::show(const char* name, double value) {
  if (!keeps_shown_) return;
  std::vector<ShownNumber>& shown = threads_[running_].shown;
  for (ShownNumber& number : shown) {
    if (std::string_view(number.name) == name) {
      number.value = value;
      return;
    }
  }
  shown.push_back({name, value});
}

void Block::unwind() {
  unwinding_ = true;
  for (unsigned t = 0; t < num_threads(); ++t) {
    if (threads_[t].fiber != nullptr) resume(t);
  }
  unwinding_ = false;
}

/// splitmix64 (Steele, Lea, Flood 2014)
unsigned Block::next_random() {
  random_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return static_cast<unsigned>((z ^ (z >> 31U)) >> 32U);
}

}  // namespace kvarium::cuda::emulator
