// The source of the Kernel tab.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "cuda/demos/kernel_head.h"
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
  const Rect right = layout::cut_right(row, threads > 0 ? view.px(kLanes) : 0);
  painter.text(row, words, view.theme().text, FontRole::mono);
  if (threads > 0) {
    painter.text(right, threads == 1 ? std::string(tr("1 thread")) : tr_format("{} threads", threads),
                 view.theme().text, FontRole::small, Align::right);
  }
  view.context.ui.registry.add_rect(fmt::format("source/{}", number), "line", words, is_current ? "current" : "", 0,
                                    screen_rect(row));
}

/// The rungs, a row each; the one that is shown stands out.
void draw_rungs(KernelView& view, const std::vector<std::vector<std::string>>& table) {
  if (!ImGui::BeginTable("rungs", static_cast<int>(table[0].size()), ImGuiTableFlags_SizingStretchProp)) return;
  for (std::size_t row = 0; row < table.size(); ++row) {
    ImGui::TableNextRow();
    const bool is_shown = row > 0 && table[row][0] == view.kernel.place().of_rung().id;
    if (is_shown) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, view.theme().selected);
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      ImGui::TableNextColumn();
      if (row == 0) ImGui::PushStyleColor(ImGuiCol_Text, view.theme().dim);
      wrapped_text(view.context.ui, fmt::format("rung/{}/{}", table[row][0], column), table[row][column]);
      if (row == 0) ImGui::PopStyleColor();
    }
  }
  ImGui::EndTable();
}

void draw_head_parts(KernelView& view, const std::string& kernel) {
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  const std::vector<cuda::demos::HeadPart> parts = cuda::demos::head_parts(cuda::demos::head_comment(kernel));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].table.empty()) {
      wrapped_text(view.context.ui, fmt::format("kernel_head/{}", i), parts[i].words);
    } else {
      draw_rungs(view, parts[i].table);
    }
  }
}

/// The head of the kernel's file, which tells its rungs apart: what there is to see before a thread has started.
void draw_head(KernelView& view) {
  const std::string& kernel = view.kernel.place().of_kernel().id;
  kernel_title(
      view, "kernel_place",
      tr_format("thread {} has not started: take a step. What {}.cuh says of its rungs:", view.state.thread, kernel));
  ImGui::BeginChild("kernel_head_room");
  draw_head_parts(view, kernel);
  ImGui::EndChild();
}

}  // namespace

void draw_kernel_source(KernelView& view) {
  const std::string place = cuda::demos::place_words(view.thread());
  if (place.empty()) return draw_head(view);
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
