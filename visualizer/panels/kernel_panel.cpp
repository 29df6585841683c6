#include "visualizer/panels/kernel_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/panels/kernel_view.h"

namespace kvarium::ui {
namespace {

using cuda::demos::DemoPlace;
using cuda::demos::kernels;
using cuda::demos::StepSize;

/// How the room is divided: the source has a part of the height, the lanes one of the width. Before the first step
/// there are no registers to show, and the head of the source instead.
struct Shares {
  float source, lanes;
};
constexpr Shares kAtStart{0.48F, 0.33F}, kLater{0.33F, 0.53F};

/// How a step of each size is offered.
struct SizeButton {
  std::string_view id, caption, help;
};
constexpr SizeButton kSizeButtons[] = {
    {"kernel_lane", "Lane", "The chosen lane, or the next that can go on, until it waits or stops"},
    {"kernel_warp", "Warp", "Each lane of the chosen warp, until it waits or stops"},
    {"kernel_stop", "Stop", "Every thread to the kernel's next stop, SIMT_PAUSE in its source"},
    {"kernel_phase", "Phase", "Every thread to the barrier, and through it"},
    {"kernel_end", "End", "Every thread to its end"},
};

template <typename Entry>
bool choose(PanelContext& context, std::string_view id, std::string_view help, float width,
            const std::vector<Entry>& entries, std::size_t& chosen, std::string Entry::*name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.*name);
  int number = static_cast<int>(chosen);
  const bool changed = combo(context.ui, id, "", number, names, {.tooltip = help, .width = width});
  chosen = static_cast<std::size_t>(number);
  ImGui::SameLine();
  return changed;
}

void draw_choice(PanelContext& context, KernelPanelState& state) {
  DemoPlace place = state.kernel->place();
  constexpr float kKernels = 158, kRungs = 136, kBlocks = 120, kGaps = 24;  // logical pixels
  const float room = room_left().width / context.px(1) - kKernels - kRungs - kGaps;
  const float problems = state.kernel->num_blocks() > 1 ? room - kBlocks - kGaps / 3 : room;
  if (choose(context, "kernel_choice", "Which kernel", kKernels, kernels(), place.kernel, &cuda::demos::Kernel::id))
    place = {place.kernel, 0, 0};
  if (choose(context, "kernel_rung", place.of_rung().idea, kRungs, place.of_kernel().rungs, place.rung,
             &cuda::demos::Rung::id))
    place.problem = 0;
  choose(context, "kernel_problem", "A problem small enough to look at", std::clamp(problems, 120.0F, 330.0F),
         place.of_rung().problems, place.problem, &cuda::demos::Problem::title);
  state.show(place);
  const unsigned blocks = state.kernel->num_blocks();
  if (blocks > 1) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < blocks; ++i) names.push_back(tr_format("block {} of {}", i, blocks));
    int block = static_cast<int>(state.kernel->block());
    if (combo(context.ui, "kernel_block", "", block, names, {.tooltip = "Which block of the grid", .width = kBlocks}))
      state.kernel->use_block(static_cast<unsigned>(block));
  } else {
    ImGui::NewLine();
  }
}

void draw_steps(PanelContext& context, KernelPanelState& state) {
  const bool at_start = state.kernel->num_steps() == 0, at_end = state.kernel->is_done();
  Look look{.enabled = !at_start, .reason = "This is the start", .shortcut = "first"};
  if (icon_button(context.ui, "kernel_restart", Icon::first, "To the start", look)) state.restart();
  ImGui::SameLine();
  look.tooltip = "A step back: the steps before it are done again, on fresh memory";
  look.shortcut = "step_back";
  if (icon_button(context.ui, "kernel_back", Icon::step_back, "A step back", look)) state.step(false);
  ImGui::SameLine();
  for (std::size_t i = 0; i < std::size(kSizeButtons); ++i) {
    const auto size = static_cast<StepSize>(i);
    const Look step{.enabled = !at_end,
                    .reason = "All threads have returned",
                    .tooltip = kSizeButtons[i].help,
                    .shortcut = size == state.size ? std::string_view("step_forward") : std::string_view(),
                    .active = size == state.size};
    if (button(context.ui, kSizeButtons[i].id, kSizeButtons[i].caption, step)) {
      if (size != StepSize::end) state.size = size;
      size == StepSize::end ? state.to_end() : state.step(true);
    }
    ImGui::SameLine();
  }
  if (button(context.ui, "kernel_text_button", state.as_text ? "As a picture" : "As text",
             {.tooltip = "The same as text, to read and to copy"}))
    state.as_text = !state.as_text;
  ImGui::SameLine();
  text(context.ui, "kernel_steps", tr_format("step {}", state.kernel->num_steps()));
  ImGui::SameLine();
  dim_text(context.ui, "kernel_emulated", "emulated, no times");
}

void draw_fault(PanelContext& context, const std::string& fault) {
  if (fault.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, context.ui.theme().bad);
  wrapped_text(context.ui, "kernel_fault", tr_format("! The checker stopped it: {}", fault));
  ImGui::PopStyleColor();
}

void draw_as_text(KernelView& view) {
  const std::string words = cuda::demos::kernel_text(view.kernel, view.state.thread);
  if (button(view.context.ui, "copy_kernel", "Copy", {.tooltip = "Copy this text"})) view.context.actions.copy(words);
  ImGui::BeginChild("kernel_text_room", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  mono_text(view.context.ui, "kernel_text", words);
  ImGui::EndChild();
}

void draw_picture(KernelView& view) {
  const layout::Rect room = room_left();
  const Shares& shares = view.kernel.num_steps() == 0 ? kAtStart : kLater;
  const float source = std::max(view.px(104), room.height * shares.source);
  const float top = std::max(view.px(120), room.height - source - view.px(6));
  ImGui::BeginChild("kernel_lanes", {room.width * shares.lanes, top});
  draw_kernel_lanes(view);
  ImGui::EndChild();
  ImGui::SameLine(0, view.px(10));
  ImGui::BeginChild("kernel_memory", {0, top});
  draw_kernel_memory(view);
  ImGui::EndChild();
  ImGui::BeginChild("kernel_source", {0, 0});
  draw_kernel_source(view);
  ImGui::EndChild();
}

}  // namespace

void KernelPanelState::show(const DemoPlace& place) {
  if (kernel != nullptr && kernel->place() == place) return;
  kernel = std::make_unique<cuda::demos::SteppedKernel>(place);
  thread = 0;
  line.reset();
}

void KernelPanelState::go_to(StepSize step_size, std::size_t steps) {
  size = step_size;
  thread = 0;
  kernel->use_block(0);
  while (kernel->num_steps() < steps && kernel->forward(step_size, thread)) {
  }
}

void KernelPanelState::step(bool forward) {
  if (kernel == nullptr) return;
  forward ? kernel->forward(size, thread) : kernel->back();
}

void KernelPanelState::restart() {
  if (kernel != nullptr) kernel->restart();
}

void KernelPanelState::to_end() {
  if (kernel != nullptr) kernel->forward(StepSize::end);
}

void KernelPanelState::move_thread(int by) {
  if (kernel == nullptr) return;
  const int last = static_cast<int>(kernel->threads().num_threads()) - 1;
  thread = static_cast<unsigned>(std::clamp(static_cast<int>(thread) + by, 0, last));
  reveal_thread = true;
}

void KernelPanelState::next_size() {
  constexpr std::size_t kSizesOfKeys = 4;  // without the end, which has a key of its own
  size = static_cast<StepSize>((static_cast<std::size_t>(size) + 1) % kSizesOfKeys);
}

void kernel_title(KernelView& view, std::string_view id, std::string_view words) {
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  ImGui::PushStyleColor(ImGuiCol_Text, view.theme().dim);
  wrapped_text(view.context.ui, id, words);
  ImGui::PopStyleColor();
}

void draw_mark(Painter& painter, const layout::Rect& cell, bool on, std::string_view label) {
  const Theme& theme = painter.theme();
  const layout::Rect inside = cell.inset(painter.px(0.5F));
  if (on) painter.fill(inside, theme.accent, 2);
  painter.outline(inside, on ? theme.outline : theme.line, 1, 2);
  painter.text(inside, on ? label : "·", on ? theme.on_accent : theme.dim, FontRole::small, Align::centre);
}

void draw_kernel_panel(PanelContext& context, KernelPanelState& state, const layout::Rect& dock) {
  Panel panel(context, "kernel", "", dock, ImGuiWindowFlags_NoScrollbar);
  if (!panel.visible()) return;
  if (state.kernel == nullptr) state.show({});
  draw_choice(context, state);
  draw_steps(context, state);
  draw_fault(context, state.kernel->fault());
  KernelView view{context, state, *state.kernel};
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.px(8), context.px(2)});
  state.as_text ? draw_as_text(view) : draw_picture(view);
  ImGui::PopStyleVar();
}

}  // namespace kvarium::ui
