#pragma once
// A kernel that goes on as far as it is told, and back. Kernels cannot be undone; but the emulator does the same each
// time, so a step back is all steps but the last one again, on fresh memory.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/demos/demo.h"
#include "cuda/simt/emulator/access_log.h"
#include "cuda/simt/emulator/stepper.h"

namespace kvarium::cuda::demos {

/// How far one step goes.
enum class StepSize : std::uint8_t {
  lane,   ///< one thread, until it waits, stops or ends
  warp,   ///< the same for each lane of one warp
  stop,   ///< every thread to the next of the kernel's own stops (SIMT_PAUSE), to the barrier, or to its end
  phase,  ///< every thread to the barrier, and through it
  end,
};
inline constexpr std::array<std::string_view, 5> kStepSizes{"lane", "warp", "stop", "phase", "end"};

/// "warp" -> StepSize::warp. InputError that lists the names.
StepSize find_step_size(std::string_view name);

/// A state of a kernel that words can point at: so many steps of one size from the start of its first block.
struct DemoStep {
  DemoPlace place;
  StepSize size = StepSize::stop;
  std::size_t steps = 0;
  bool operator==(const DemoStep&) const = default;
};
/// "kernel:attention_decode/warp_a_head/eleven-8/stop/4"
std::string step_point(const DemoStep& step);
/// The same back; nothing for a text that names none.
std::optional<DemoStep> parse_step_point(std::string_view text);

/// Sums over the lines of a log; where buffers are named, over theirs only.
struct Traffic {
  std::size_t bytes = 0;  ///< of global memory, that lanes asked for
  std::size_t sectors = 0, fewest_sectors = 0;
  std::size_t wavefronts = 0, fewest_wavefronts = 0;  ///< of shared memory
};
Traffic traffic(const emulator::AccessLog& log, const std::vector<std::string>& buffers = {});

class SteppedKernel {
 public:
  /// At the start of the first block. Runs the whole launch once, for whole().
  explicit SteppedKernel(const DemoPlace& place);
  ~SteppedKernel();
  SteppedKernel(SteppedKernel&&) noexcept;
  SteppedKernel& operator=(SteppedKernel&&) noexcept;
  SteppedKernel(const SteppedKernel&) = delete;
  SteppedKernel& operator=(const SteppedKernel&) = delete;

  const DemoPlace& place() const { return place_; }
  unsigned num_blocks() const { return num_blocks_; }
  unsigned block() const { return block_; }  ///< counted through the grid, x first
  cuda::uint3 block_index() const;
  /// To the start of another block; MisuseError when the grid has none of this number.
  void use_block(unsigned block);

  /// One step: of `thread` (or of the next one that can go on) where the size is lane, of its warp where it is warp.
  /// False, and no step, when all have returned or a fault has stopped them.
  bool forward(StepSize size, unsigned thread = 0);
  /// To where it was before the last step. False at the start.
  bool back();
  void restart();
  std::size_t num_steps() const { return steps_.size(); }

  /// Every thread's state, where it waits and for what, and its registers.
  const emulator::Stepper& threads() const;
  bool is_done() const { return threads().is_done() || !fault_.empty(); }
  /// What the checker said; empty while nothing is wrong.
  const std::string& fault() const { return fault_; }
  /// Requests and counts of this block so far, as if it ended here.
  const emulator::AccessLog& log() const;
  /// Counts of all blocks to their end.
  const emulator::AccessLog& whole() const { return whole_; }
  const Instance& instance() const;
  /// What was written so far.
  const std::vector<Output>& outputs() const;

 private:
  struct Run;
  struct Step {
    StepSize size;
    unsigned thread;
  };

  void begin();
  void forget_state();
  bool apply(const Step& step);

  DemoPlace place_;
  unsigned num_blocks_ = 1, block_ = 0;
  cuda::dim3 grid_;
  std::vector<Step> steps_;
  std::unique_ptr<Run> run_;
  std::string fault_;
  emulator::AccessLog whole_;
  // Of the state in which they were last asked for; none after a step.
  mutable std::optional<emulator::AccessLog> log_;
  mutable std::optional<std::vector<Output>> outputs_;
};

/// The newest request to a space; nullptr: none yet.
const emulator::Request* newest_request(const emulator::AccessLog& log, emulator::Space space);

/// All requests of a line to a buffer, in their order.
std::vector<const emulator::Request*> requests_of(const emulator::AccessLog& log, const emulator::LineCount& line);

/// The lanes that take part, as a mask.
std::uint32_t lanes_of(const emulator::Request& request);

/// Lanes that took part in the requests, of all that their warps have.
struct BusyLanes {
  std::size_t busy = 0, all = 0;
  double share() const { return all == 0 ? 0 : static_cast<double>(busy) / static_cast<double>(all); }
};
BusyLanes busy_lanes(const SteppedKernel& kernel, const std::vector<const emulator::Request*>& requests);

/// How many lanes the warp has: the last one of a block may be short.
unsigned lanes_in_warp(const SteppedKernel& kernel, unsigned warp);

/// Which tokens of the paged cache were touched so far.
struct TouchedRows {
  std::string_view name;     ///< "K", "V", or "row" where a row is both
  std::vector<bool> tokens;  ///< [token]
};
/// Of each buffer of the cache; empty without one.
std::vector<TouchedRows> touched_rows(const SteppedKernel& kernel);

}  // namespace kvarium::cuda::demos
