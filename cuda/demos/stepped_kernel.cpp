#include "cuda/demos/stepped_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>

#include "core/error.h"
#include "core/words/words.h"
#include "cuda/simt/emulator/fault.h"

namespace kvarium::cuda::demos {

using emulator::AccessLog;
using emulator::Request;
using emulator::Stepper;
using emulator::Thread;
using emulator::ThreadState;

namespace {

/// The launch of a problem, its accesses noted in `log`.
emulator::KernelLaunch logged_launch(Instance& instance, AccessLog& log) {
  emulator::Emulation options;
  options.log = &log;
  const emulator::UseEmulation use(options);
  return instance.launch();
}

/// One thread, or the next that can go on.
bool step_lane(Stepper& threads, unsigned first) {
  for (unsigned i = 0; i < threads.num_threads(); ++i) {
    if (threads.step_lane((first + i) % threads.num_threads())) return true;
  }
  return threads.step_barrier();
}

bool step_warp(Stepper& threads, unsigned first) {
  for (unsigned i = 0; i < threads.num_warps(); ++i) {
    if (threads.step_warp((first + i) % threads.num_warps())) return true;
  }
  return threads.step_barrier();
}

/// Where lanes stand at different stops, those that are furthest behind go on: so they come together again.
int first_stop(const Stepper& threads) {
  int line = INT_MAX;
  for (unsigned t = 0; t < threads.num_threads(); ++t) {
    if (threads.thread(t).state == ThreadState::paused) line = std::min(line, threads.thread(t).site.line);
  }
  return line;
}

bool step_to_stop(Stepper& threads) {
  const int first = first_stop(threads);
  std::vector<bool> goes(threads.num_threads());
  for (unsigned t = 0; t < threads.num_threads(); ++t) {
    const Thread& thread = threads.thread(t);
    goes[t] = thread.state != ThreadState::paused || thread.site.line == first;
  }
  bool has_run = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned t = 0; t < threads.num_threads(); ++t) {
      if (!goes[t] || !threads.step_lane(t)) continue;
      again = true;
      if (threads.thread(t).state == ThreadState::paused) goes[t] = false;
    }
    has_run = has_run || again;
  }
  return has_run || threads.step_barrier();
}

bool step_to_end(Stepper& threads) {
  while (threads.step_phase()) {
  }
  return true;
}

bool step(Stepper& threads, StepSize size, unsigned thread) {
  switch (size) {
    case StepSize::lane:
      return step_lane(threads, thread);
    case StepSize::warp:
      return step_warp(threads, thread / 32);
    case StepSize::stop:
      return step_to_stop(threads);
    case StepSize::phase:
      threads.step_phase();
      return true;
    case StepSize::end:
      return step_to_end(threads);
  }
  return false;
}

std::vector<bool> touched_tokens(const SteppedKernel& kernel, const PagedTokens& paged, const std::string& buffer) {
  std::vector<bool> touched(paged.slots.size());
  for (const Request& request : kernel.log().requests()) {
    if (request.space != emulator::Space::global || request.region != buffer) continue;
    for (const emulator::LaneAccess& access : request.lanes) {
      const auto at = std::find(paged.slots.begin(), paged.slots.end(), access.offset / paged.token_bytes);
      if (at != paged.slots.end()) touched[static_cast<std::size_t>(at - paged.slots.begin())] = true;
    }
  }
  return touched;
}

}  // namespace

StepSize find_step_size(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kStepSizes.size(); ++i) {
    if (kStepSizes[i] == name) return static_cast<StepSize>(i);
    names += (names.empty() ? "" : ", ") + std::string(kStepSizes[i]);
  }
  throw InputError(tr_format("there are no steps of the size \"{}\"; there are {}", name, names));
}

std::string step_point(const DemoStep& step) {
  return fmt::format("kernel:{}/{}/{}/{}/{}", step.place.of_kernel().id, step.place.of_rung().id,
                     step.place.of_problem().id, kStepSizes[static_cast<std::size_t>(step.size)], step.steps);
}

std::optional<DemoStep> parse_step_point(std::string_view text) {
  constexpr std::string_view kStart = "kernel:";
  if (text.substr(0, kStart.size()) != kStart) return std::nullopt;
  text.remove_prefix(kStart.size());
  std::vector<std::string_view> parts;
  for (std::size_t slash = 0; slash != std::string_view::npos;) {
    slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
  }
  if (parts.size() != 5) return std::nullopt;
  DemoStep step;
  const auto [end, problem] = std::from_chars(parts[4].data(), parts[4].data() + parts[4].size(), step.steps);
  if (problem != std::errc() || end != parts[4].data() + parts[4].size()) return std::nullopt;
  try {
    step.place = find_demo(parts[0], parts[1], parts[2]);
    step.size = find_step_size(parts[3]);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return step;
}

struct SteppedKernel::Run {
  Run(std::unique_ptr<Instance> made, const cuda::uint3& block)
      : instance(std::move(made)), threads(logged_launch(*instance, log)) {
    threads.begin_block(block);
  }
  AccessLog log{true};
  std::unique_ptr<Instance> instance;
  Stepper threads;
};

SteppedKernel::SteppedKernel(const DemoPlace& place) : place_(place) {
  const std::unique_ptr<Instance> instance = place_.of_problem().make();
  const emulator::KernelLaunch launch = logged_launch(*instance, whole_);
  grid_ = launch.grid;
  num_blocks_ = static_cast<unsigned>(grid_.volume());
  emulator::run_launch(launch);
  begin();
}

SteppedKernel::~SteppedKernel() = default;
SteppedKernel::SteppedKernel(SteppedKernel&&) noexcept = default;
SteppedKernel& SteppedKernel::operator=(SteppedKernel&&) noexcept = default;

cuda::uint3 SteppedKernel::block_index() const {
  return {block_ % grid_.x, block_ / grid_.x % grid_.y, block_ / grid_.x / grid_.y};
}

void SteppedKernel::use_block(unsigned block) {
  if (block >= num_blocks_) {
    throw MisuseError("there is no block " + std::to_string(block) + " in a grid of " + std::to_string(num_blocks_));
  }
  block_ = block;
  restart();
}

void SteppedKernel::begin() {
  fault_.clear();
  run_ = nullptr;  // first: two runs at once would need twice the memory
  run_ = std::make_unique<Run>(place_.of_problem().make(), block_index());
  forget_state();
}

void SteppedKernel::forget_state() {
  log_.reset();
  outputs_.reset();
}

bool SteppedKernel::apply(const Step& one) {
  forget_state();
  try {
    return step(run_->threads, one.size, one.thread);
  } catch (const emulator::KernelFault& fault) {
    fault_ = fault.what();
    return true;
  }
}

bool SteppedKernel::forward(StepSize size, unsigned thread) {
  const Step one{size, thread};
  if (is_done() || !apply(one)) return false;
  steps_.push_back(one);
  return true;
}

bool SteppedKernel::back() {
  if (steps_.empty()) return false;
  steps_.pop_back();
  begin();
  for (const Step& one : steps_) apply(one);
  return true;
}

void SteppedKernel::restart() {
  steps_.clear();
  begin();
}

const AccessLog& SteppedKernel::log() const {
  if (!log_) {
    log_ = run_->log;
    log_->end_block();
  }
  return *log_;
}

const std::vector<Output>& SteppedKernel::outputs() const {
  if (!outputs_) outputs_ = instance().outputs();
  return *outputs_;
}

const Stepper& SteppedKernel::threads() const { return run_->threads; }
const Instance& SteppedKernel::instance() const { return *run_->instance; }

Traffic traffic(const AccessLog& log, const std::vector<std::string>& buffers) {
  Traffic total;
  for (const emulator::LineCount& line : log.lines()) {
    if (!buffers.empty() && std::find(buffers.begin(), buffers.end(), line.region) == buffers.end()) continue;
    const bool is_global = line.space == emulator::Space::global;
    total.bytes += is_global ? line.bytes : 0;
    (is_global ? total.sectors : total.wavefronts) += line.answers;
    (is_global ? total.fewest_sectors : total.fewest_wavefronts) += line.fewest_answers;
  }
  return total;
}

const Request* newest_request(const AccessLog& log, emulator::Space space) {
  const Request* newest = nullptr;
  for (const Request& request : log.requests()) {
    if (request.space == space && (newest == nullptr || request.last_access > newest->last_access)) newest = &request;
  }
  return newest;
}

std::vector<const Request*> requests_of(const AccessLog& log, const emulator::LineCount& line) {
  std::vector<const Request*> result;
  for (const Request& request : log.requests()) {
    const bool same = request.site == line.site && request.access == line.access && request.space == line.space &&
                      request.region == line.region;
    if (same) result.push_back(&request);
  }
  return result;
}

std::uint32_t lanes_of(const Request& request) {
  std::uint32_t mask = 0;
  for (const emulator::LaneAccess& access : request.lanes) mask |= 1U << access.lane;
  return mask;
}

unsigned lanes_in_warp(const SteppedKernel& kernel, unsigned warp) {
  return std::min(32U, kernel.threads().num_threads() - 32 * warp);
}

BusyLanes busy_lanes(const SteppedKernel& kernel, const std::vector<const Request*>& requests) {
  BusyLanes lanes;
  for (const Request* request : requests) {
    lanes.busy += request->lanes.size();
    lanes.all += lanes_in_warp(kernel, request->warp);
  }
  return lanes;
}

std::vector<TouchedRows> touched_rows(const SteppedKernel& kernel) {
  if (!kernel.instance().paged) return {};
  const PagedTokens& paged = *kernel.instance().paged;
  if (paged.values.empty()) return {{"row", touched_tokens(kernel, paged, paged.keys)}};
  return {{"K", touched_tokens(kernel, paged, paged.keys)}, {"V", touched_tokens(kernel, paged, paged.values)}};
}

}  // namespace kvarium::cuda::demos
