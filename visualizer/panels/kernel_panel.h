#pragma once
// The Kernel tab: a kernel on a small problem, stepped thread by thread by the emulator: who waits where for whom, what
// memory is asked for, and the line of the source.

#include <memory>
#include <optional>
#include <string>

#include "cuda/demos/stepped_kernel.h"
#include "visualizer/panels/scene.h"

namespace kvarium::ui {

struct KernelPanelState {
  std::unique_ptr<cuda::demos::SteppedKernel> kernel;        ///< none before the tab is first shown
  cuda::demos::StepSize size = cuda::demos::StepSize::stop;  ///< of the steps that the keys make
  unsigned thread = 0;                                       ///< that is looked at
  std::optional<std::size_t> line;  ///< of the log, whose requests are drawn; none: that of the newest request
  bool as_text = false;
  bool reveal_thread = false;

  /// Starts the kernel anew, unless it is the one that is shown.
  void show(const cuda::demos::DemoPlace& place);
  /// To so many steps of this size from the start of the first block, or to its end.
  void go_to(cuda::demos::StepSize step_size, std::size_t steps);
  // What the keys do; nothing before a kernel is shown.
  void step(bool forward);
  void restart();
  void to_end();
  void move_thread(int by);
  void next_size();
};

void draw_kernel_panel(PanelContext& context, KernelPanelState& state, const layout::Rect& dock);

}  // namespace kvarium::ui
