// What the Kernel tab shows of memory: where tokens lie, requests with their sectors, and the sums.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/layout/grouped_cells.h"
#include "visualizer/panels/kernel_view.h"

namespace kvarium::ui {
namespace {

using cuda::demos::PagedTokens;
using cuda::emulator::LaneAccess;
using cuda::emulator::LineCount;
using cuda::emulator::Request;
using cuda::emulator::Space;
using layout::Rect;

constexpr float kRow = 19, kCell = 17;                      // logical pixels
constexpr std::size_t kMostRequests = 4, kMostSectors = 8;  // drawn; text has the rest
constexpr std::size_t kWord = 4, kWordsASector = 8;

Rect next_row(KernelView& view, float height) {
  const Rect room = room_left();
  ImGui::Dummy({room.width, view.px(height)});
  return {room.x, room.y, room.width, view.px(height)};
}

// --- where tokens lie

void draw_tokens(KernelView& view, Painter& painter) {
  const PagedTokens& paged = *view.kernel.instance().paged;
  const std::vector<bool> keys = cuda::demos::touched_tokens(view.kernel, paged.keys);
  const std::vector<bool> values = cuda::demos::touched_tokens(view.kernel, paged.values);
  Rect rows[4];
  for (Rect& row : rows) row = next_row(view, kCell);
  const std::string_view names[] = {tr("token"), tr("slot"), "K", "V"};
  const float space = view.px(5);
  std::vector<Rect> cells[4];
  for (std::size_t i = 0; i < 4; ++i) {
    painter.text(layout::cut_left(rows[i], view.px(36)), names[i], view.theme().dim, FontRole::small);
    cells[i] = layout::grouped_cells(rows[i], paged.slots.size(), paged.block_size, space, view.px(30));
    if (cells[i].empty()) return;
  }
  for (std::size_t token = 0; token < paged.slots.size(); ++token) {
    painter.text(cells[0][token], std::to_string(token), view.theme().dim, FontRole::small, Align::centre);
    painter.text(cells[1][token], std::to_string(paged.slots[token]), view.theme().text, FontRole::small,
                 Align::centre);
    draw_mark(painter, cells[2][token], keys[token], "K");
    draw_mark(painter, cells[3][token], values[token], "V");
    const std::string touched = std::string(keys[token] ? "K" : "") + (values[token] ? "V" : "");
    view.context.ui.registry.add_rect(fmt::format("token/{}", token), "token", std::to_string(paged.slots[token]),
                                      touched, 0, screen_rect(cells[1][token]));
  }
}

/// Logical token -> block of the table -> slot, and whether its K and V were touched yet.
void draw_gather(KernelView& view, Painter& painter) {
  if (!view.kernel.instance().paged) return;
  const PagedTokens& paged = *view.kernel.instance().paged;
  std::string table;
  for (std::size_t i = 0; i < paged.slots.size(); i += paged.block_size)
    table += (i == 0 ? "" : ", ") + std::to_string(paged.slots[i] / paged.block_size);
  kernel_title(view, "kernel_table",
               tr_format("block table [{}], {} slots a block; K and V that were touched:", table, paged.block_size));
  draw_tokens(view, painter);
  ImGui::Spacing();
}

// --- requests

/// The line whose requests are drawn: the chosen one, else that of the newest request to global memory.
const LineCount* shown_line(const KernelView& view) {
  const std::vector<LineCount>& lines = view.kernel.log().lines();
  if (view.state.line && *view.state.line < lines.size()) return &lines[*view.state.line];
  const Request* newest = cuda::demos::newest_request(view.kernel.log(), Space::global);
  if (newest == nullptr) return nullptr;
  for (const LineCount& line : lines) {
    const auto requests = cuda::demos::requests_of(view.kernel.log(), line);
    if (std::find(requests.begin(), requests.end(), newest) != requests.end()) return &line;
  }
  return nullptr;
}

/// "sectors 2, fewest 1"
std::string answers_words(const Request& request) {
  if (request.space == Space::global)
    return tr_format("sectors {}, fewest {}", cuda::emulator::sectors(request),
                     cuda::emulator::fewest_sectors(request));
  return tr_format("wavefronts {}, fewest {}", cuda::emulator::wavefronts(request),
                   cuda::emulator::fewest_wavefronts(request));
}

/// One request: which lanes take part, and what it costs.
void draw_request(KernelView& view, Painter& painter, std::size_t number, const Request& request) {
  Rect row = next_row(view, kCell);
  const Rect whole = row;
  painter.text(layout::cut_left(row, view.px(36)), fmt::format("{}.", number + 1), view.theme().dim, FontRole::small);
  const unsigned lanes = cuda::demos::lanes_in_warp(view.kernel, request.warp);
  const Rect words = layout::cut_right(row, view.px(150));
  const std::vector<Rect> cells = layout::grouped_cells(row, lanes, 8, view.px(2), view.px(17));
  const std::uint32_t mask = cuda::demos::lanes_of(request);
  for (unsigned lane = 0; lane < cells.size(); ++lane) {
    const bool label_fits = cells[lane].width >= view.px(13);
    draw_mark(painter, cells[lane], (mask >> lane & 1U) != 0, label_fits ? std::to_string(lane) : "");
  }
  painter.text(words, answers_words(request), view.theme().text, FontRole::small, Align::right);
  view.context.ui.registry.add_rect(fmt::format("request/{}", number), "request", answers_words(request),
                                    cuda::demos::lanes_figure(mask, lanes), 0, screen_rect(whole));
}

std::vector<std::size_t> sectors_of(const Request& request) {
  std::vector<std::size_t> numbers;
  for (const LaneAccess& access : request.lanes) {
    const std::size_t last = (access.offset + access.bytes - 1) / (kWord * kWordsASector);
    for (std::size_t i = access.offset / (kWord * kWordsASector); i <= last; ++i) numbers.push_back(i);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// The words of each sector, with the lane that wants them.
void draw_sectors(KernelView& view, Painter& painter, const Request& request) {
  const std::vector<std::size_t> sectors = sectors_of(request);
  for (std::size_t i = 0; i < std::min(sectors.size(), kMostSectors); ++i) {
    Rect row = next_row(view, kCell);
    painter.text(layout::cut_left(row, view.px(112)), tr_format("bytes {}-{}", 32 * sectors[i], 32 * sectors[i] + 31),
                 view.theme().dim, FontRole::small);
    const std::vector<Rect> cells = layout::grouped_cells(row, kWordsASector, 0, 0, view.px(24));
    for (std::size_t word = 0; word < cells.size(); ++word) {
      const std::size_t begin = 32 * sectors[i] + kWord * word;
      const auto by = std::find_if(request.lanes.begin(), request.lanes.end(), [&](const LaneAccess& access) {
        return begin < access.offset + access.bytes && access.offset < begin + kWord;
      });
      draw_mark(painter, cells[word], by != request.lanes.end(),
                by == request.lanes.end() ? "" : std::to_string(by->lane));
    }
  }
  if (sectors.size() > kMostSectors)
    kernel_title(view, "more_sectors", tr_format("and {} sectors more", sectors.size() - kMostSectors));
}

/// The words of each bank that a request to shared memory wants: more than one of a bank are answered in turn.
void draw_banks(KernelView& view, Painter& painter, const Request& request) {
  std::vector<std::size_t> words[32];
  for (const LaneAccess& access : request.lanes) {
    for (std::size_t word = access.offset / kWord; word <= (access.offset + access.bytes - 1) / kWord; ++word) {
      std::vector<std::size_t>& of_bank = words[word % 32];
      if (std::find(of_bank.begin(), of_bank.end(), word) == of_bank.end()) of_bank.push_back(word);
    }
  }
  Rect row = next_row(view, kCell);
  painter.text(layout::cut_left(row, view.px(44)), tr("banks"), view.theme().dim, FontRole::small);
  const std::vector<Rect> cells = layout::grouped_cells(row, 32, 8, view.px(2), view.px(17));
  for (std::size_t bank = 0; bank < cells.size(); ++bank)
    draw_mark(painter, cells[bank], !words[bank].empty(), std::to_string(words[bank].size()));
  kernel_title(view, "kernel_banks", "words that are wanted of each of the 32 banks");
}

void draw_requests(KernelView& view, Painter& painter) {
  const LineCount* line = shown_line(view);
  if (line == nullptr || line->requests == 0)
    return kernel_title(view, "kernel_request", "No lane has asked for memory yet: take a step.");
  const auto requests = cuda::demos::requests_of(view.kernel.log(), *line);
  kernel_title(view, "kernel_request",
               tr_format("{}: lanes {}", cuda::demos::short_line_words(*line),
                         cuda::demos::busy_words(cuda::demos::busy_lanes(view.kernel, requests))));
  const std::size_t first = requests.size() - std::min(requests.size(), kMostRequests);
  for (std::size_t i = first; i < requests.size(); ++i) draw_request(view, painter, i, *requests[i]);
  line->space == Space::global ? draw_sectors(view, painter, *requests.back())
                               : draw_banks(view, painter, *requests.back());
  ImGui::Spacing();
}

// --- sums

void draw_count(KernelView& view, Painter& painter, std::size_t number, const LineCount& line) {
  const bool chosen = view.state.line == number;
  const auto requests = cuda::demos::requests_of(view.kernel.log(), line);
  const double busy = 100 * cuda::demos::busy_lanes(view.kernel, requests).share();
  const std::string answers = fmt::format("{} / {}", line.answers, line.fewest_answers);
  const std::string value = fmt::format("{} requests, {:.4g} %, {} B, {}", line.requests, busy, line.bytes, answers);
  const std::string id = fmt::format("line/{}", number);
  const Pressable place = pressable(view.context, id, "row", cuda::demos::line_words(line), value, view.px(kRow));
  if (place.pressed) view.state.line = chosen ? std::nullopt : std::optional(number);
  if (chosen || place.hovered) painter.fill(place.area, chosen ? view.theme().selected : view.theme().hovered, 4);
  Rect row = place.area;
  layout::cut_left(row, view.px(4));
  const auto cell = [&](float width, const std::string& words) {
    painter.text(layout::cut_right(row, view.px(width)), words, view.theme().text, FontRole::small, Align::right);
  };
  cell(62, answers);
  cell(50, std::to_string(line.bytes));
  cell(58, fmt::format("{:.4g} %", busy));
  cell(30, std::to_string(line.requests));
  painter.text(row, cuda::demos::short_line_words(line), view.theme().text, FontRole::small);
}

void draw_counts_header(KernelView& view, Painter& painter) {
  Rect row = next_row(view, 16);
  const auto cell = [&](float width, std::string_view words) {
    painter.text(layout::cut_right(row, view.px(width)), tr(words), view.theme().dim, FontRole::small, Align::right);
  };
  cell(62, "answers");
  cell(50, "bytes");
  cell(58, "lanes");
  cell(30, "req.");
  painter.text(row, tr("line, press for its requests"), view.theme().dim, FontRole::small);
}

void draw_sums(KernelView& view) {
  const cuda::demos::Traffic now = cuda::demos::traffic(view.kernel.log()),
                             whole = cuda::demos::traffic(view.kernel.whole());
  const cuda::demos::Instance& instance = view.kernel.instance();
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  wrapped_text(
      view.context.ui, "kernel_now",
      tr_format("this block so far: {} bytes in {} sectors; {} would do", now.bytes, now.sectors, now.fewest_sectors));
  wrapped_text(view.context.ui, "kernel_whole",
               tr_format("all blocks, to the end: {} bytes in {} sectors; {} would do", whole.bytes, whole.sectors,
                         whole.fewest_sectors));
  wrapped_text(view.context.ui, "kernel_table_bytes",
               tr_format("the kernel's own table: {} = {} bytes", instance.by_table.text, instance.by_table.bytes));
  wrapped_text(view.context.ui, "kernel_floor",
               tr_format("the floor: {} = {} bytes", instance.floor.text, instance.floor.bytes));
  for (std::size_t i = 0; view.kernel.threads().is_done() && i < instance.outputs().size(); ++i) {
    const cuda::demos::Output output = instance.outputs()[i];
    constexpr std::size_t kMostNumbers = 8;
    std::string numbers;
    for (std::size_t j = 0; j < std::min(output.numbers.size(), kMostNumbers); ++j)
      numbers += fmt::format(" {:.7g}", output.numbers[j]);
    if (output.numbers.size() > kMostNumbers) numbers += " ...";
    wrapped_text(view.context.ui, fmt::format("kernel_output/{}", i), output.name + ":" + numbers);
  }
}

// --- shared memory

void draw_shared(KernelView& view) {
  const std::string words = cuda::demos::shared_text(view.kernel);
  if (words.empty()) return;
  ImGui::Spacing();
  kernel_title(view, "kernel_shared", "shared memory, a row of 32 banks of 4 bytes");
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  wrapped_text(view.context.ui, "kernel_shared_text", words);
}

}  // namespace

void draw_kernel_memory(KernelView& view) {
  Painter painter(*ImGui::GetWindowDrawList(), view.context.ui);
  draw_gather(view, painter);
  draw_requests(view, painter);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {view.px(8), 0});
  draw_counts_header(view, painter);
  const std::vector<LineCount>& lines = view.kernel.log().lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].requests > 0) draw_count(view, painter, i, lines[i]);
  }
  ImGui::PopStyleVar();
  ImGui::Spacing();
  draw_sums(view);
  draw_shared(view);
}

}  // namespace kvarium::ui
