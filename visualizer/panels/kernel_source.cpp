// The source of the Kernel tab.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "cuda/demos/source_text.h"
#include "visualizer/panels/kernel_view.h"

namespace kvarium::ui {
namespace {

using layout::Rect;

constexpr float kNumber = 44, kLanes = 70;  // logical pixels

/// Blanks that all lines [first, end) begin with; empty lines do not count.
std::size_t common_indent(const std::vector<std::string>& lines, std::size_t first, std::size_t end) {
  std::size_t indent = std::string::npos;
  for (std::size_t i = first; i < end; ++i) indent = std::min(indent, lines[i].find_first_not_of(' '));
  return indent == std::string::npos ? 0 : indent;
}

/// Threads of the block that stand at this line of the file.
unsigned threads_at(const cuda::demos::SteppedKernel& kernel, const cuda::emulator::Site& site) {
  unsigned count = 0;
  for (unsigned t = 0; t < kernel.threads().num_threads(); ++t) {
    const cuda::emulator::Thread& thread = kernel.threads().thread(t);
    const bool is_there = thread.state != cuda::emulator::ThreadState::unstarted &&
                          thread.state != cuda::emulator::ThreadState::returned && thread.site == site;
    count += is_there ? 1 : 0;
  }
  return count;
}

void draw_line(KernelView& view, Painter& painter, Rect row, int number, const std::string& words) {
  const bool is_current = number == view.thread().site.line;
  const unsigned threads = threads_at(view.kernel, {view.thread().site.file, number});
  if (is_current) painter.fill(row, view.theme().selected, 3);
  const std::string mark = fmt::format("{} {}", is_current ? ">" : " ", number);
  painter.text(layout::cut_left(row, view.px(kNumber)), mark, view.theme().dim, FontRole::mono, Align::right);
  layout::cut_left(row, view.px(8));
  const Rect right = layout::cut_right(row, view.px(kLanes));
  painter.text(row, words, view.theme().text, FontRole::mono);
  if (threads > 0) {
    painter.text(right, threads == 1 ? std::string(tr("1 thread")) : tr_format("{} threads", threads),
                 view.theme().text, FontRole::small, Align::right);
  }
  view.context.ui.registry.add_rect(fmt::format("source/{}", number), "line", words, is_current ? "current" : "", 0,
                                    screen_rect(row));
}

}  // namespace

void draw_kernel_source(KernelView& view) {
  const std::string place = cuda::demos::place_words(view.thread());
  if (place.empty()) {
    return kernel_title(view, "kernel_place", tr_format("thread {} has not started: take a step", view.state.thread));
  }
  const std::vector<std::string>& lines = cuda::demos::source_lines(view.thread().site);
  kernel_title(view, "kernel_place",
               lines.empty() ? tr_format("the source of {} is not in this program", place) : place);
  Painter painter(*ImGui::GetWindowDrawList(), view.context.ui);
  const Rect room = room_left();
  const float height = painter.line_height(FontRole::mono) + view.px(2);
  const int fit = std::max(1, static_cast<int>(room.height / height));
  const int last_first = std::max(0, static_cast<int>(lines.size()) - fit);
  const int first = std::clamp(view.thread().site.line - 1 - fit / 2, 0, last_first);
  const int end = std::min(first + fit, static_cast<int>(lines.size()));
  const std::size_t indent = common_indent(lines, static_cast<std::size_t>(first), static_cast<std::size_t>(end));
  for (int i = first; i < end; ++i) {
    const Rect row{room.x, room.y + height * static_cast<float>(i - first), room.width, height};
    const std::string& line = lines[static_cast<std::size_t>(i)];
    draw_line(view, painter, row, i + 1, line.substr(std::min(indent, line.size())));
  }
}

}  // namespace kvarium::ui
