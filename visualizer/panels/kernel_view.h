#pragma once
// The parts of the Kernel tab; see kernel_panel.h.

#include <string>
#include <string_view>
#include <vector>

#include "cuda/demos/stepped_figures.h"
#include "cuda/demos/stepped_text.h"
#include "visualizer/draw/painter.h"
#include "visualizer/panels/kernel_panel.h"

namespace kvarium::ui {

/// What each part is given.
struct KernelView {
  PanelContext& context;
  KernelPanelState& state;
  const cuda::demos::SteppedKernel& kernel;

  const cuda::emulator::Thread& thread() const { return kernel.threads().thread(state.thread); }
  unsigned warp() const { return state.thread / 32; }
  const Theme& theme() const { return context.ui.theme(); }
  float px(float logical) const { return context.px(logical); }
};

/// A line of words in the current window, as a title over what follows.
void kernel_title(KernelView& view, std::string_view id, std::string_view words);
/// A small square: solid with `label` on it when `on`, else an empty outline with a dot.
void draw_mark(Painter& painter, const layout::Rect& cell, bool on, std::string_view label);

/// Warps in rows of signs where there are several; the lanes of one, with their registers; the chosen one in words.
void draw_kernel_lanes(KernelView& view);
/// Where tokens lie, the requests of one line, all lines and the sums, shared memory.
void draw_kernel_memory(KernelView& view);
/// The kernel's source around the place of the chosen thread.
void draw_kernel_source(KernelView& view);

}  // namespace kvarium::ui
