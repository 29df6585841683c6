// What the Kernel tab shows of memory: where tokens lie, requests with their sectors, and the sums.

#include <fmt/format.h>

#include <algorithm>

#include "core/words/words.h"
#include "visualizer/layout/grouped_cells.h"
#include "visualizer/panels/kernel_view.h"

namespace kvarium::ui {
namespace {

using cuda::demos::CountRow;
using cuda::demos::PagedTokens;
using cuda::demos::SectorWords;
using cuda::emulator::LineCount;
using cuda::emulator::Request;
using cuda::emulator::Space;
using layout::Rect;

constexpr float kRow = 19, kCell = 17, kName = 34, kNarrowest = 17, kBlockGap = 5;  // logical pixels
constexpr std::size_t kMostTokens = 24;                                             // drawn with their slots
constexpr std::size_t kMostRequests = 4, kMostSectors = 8;                          // drawn; text has the rest
constexpr std::size_t kMostNumbers = 8;                                             // of an input or output

Rect next_row(KernelView& view, float height) {
  const Rect room = room_left();
  ImGui::Dummy({room.width, view.px(height)});
  return {room.x, room.y, room.width, view.px(height)};
}

// --- where tokens lie

/// What of it was touched, "KV"; the registry hears of it.
std::string add_token(KernelView& view, std::size_t token, const std::vector<cuda::demos::TouchedRows>& touched,
                      const Rect& cell) {
  std::string letters;
  for (const auto& rows : touched) letters += rows.tokens[token] ? std::string(rows.name.substr(0, 1)) : "";
  view.context.ui.registry.add_rect(fmt::format("token/{}", token), "token",
                                    std::to_string(view.kernel.instance().paged->slots[token]), letters, 0,
                                    screen_rect(cell));
  return letters;
}

/// Tokens [first, end), which begin with a block: number, slot, and what of them was touched.
void draw_tokens(KernelView& view, Painter& painter, std::size_t first, std::size_t end,
                 const std::vector<cuda::demos::TouchedRows>& touched) {
  const PagedTokens& paged = *view.kernel.instance().paged;
  std::vector<std::vector<Rect>> cells;
  const auto add_row = [&](std::string_view name) {
    Rect row = next_row(view, kCell);
    painter.text(layout::cut_left(row, view.px(kName)), tr(name), view.theme().dim, FontRole::small);
    cells.push_back(layout::grouped_cells(row, end - first, paged.block_size, view.px(kBlockGap), view.px(30)));
  };
  add_row("token");
  add_row("slot");
  for (const auto& rows : touched) add_row(rows.name);
  if (cells[0].empty()) return;
  for (std::size_t token = first; token < end; ++token) {
    const std::size_t i = token - first;
    painter.text(cells[0][i], std::to_string(token), view.theme().dim, FontRole::small, Align::centre);
    painter.text(cells[1][i], std::to_string(paged.slots[token]), view.theme().text, FontRole::small, Align::centre);
    for (std::size_t row = 0; row < touched.size(); ++row)
      draw_mark(painter, cells[2 + row][i], touched[row].tokens[token], touched[row].name.substr(0, 1));
    add_token(view, token, touched, cells[1][i]);
  }
}

/// The same where there are many: a cell a token, with the letters of what was touched.
void draw_small_tokens(KernelView& view, Painter& painter, std::size_t first, std::size_t end,
                       const std::vector<cuda::demos::TouchedRows>& touched) {
  Rect row = next_row(view, kCell);
  painter.text(layout::cut_left(row, view.px(kName)), fmt::format("{}-{}", first, end - 1), view.theme().dim,
               FontRole::small);
  const unsigned block_size = view.kernel.instance().paged->block_size;
  const std::vector<Rect> cells =
      layout::grouped_cells(row, end - first, block_size, view.px(kBlockGap), view.px(kNarrowest));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string letters = add_token(view, first + i, touched, cells[i]);
    draw_mark(painter, cells[i], !letters.empty(), letters);
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
               tr_format("block table [{}], {} slots a block; what was touched:", table, paged.block_size));
  const std::vector<cuda::demos::TouchedRows> touched = cuda::demos::touched_rows(view.kernel);
  const float block = view.px(kNarrowest) * static_cast<float>(paged.block_size) + view.px(kBlockGap);
  const auto blocks_a_row =
      static_cast<std::size_t>(std::max(1.0F, (room_left().width - view.px(kName - kBlockGap)) / block));
  const std::size_t tokens = paged.slots.size(), a_row = blocks_a_row * paged.block_size;
  for (std::size_t first = 0; first < tokens; first += a_row) {
    const auto draw = tokens <= kMostTokens ? draw_tokens : draw_small_tokens;
    draw(view, painter, first, std::min(first + a_row, tokens), touched);
  }
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

/// One request: which lanes take part, and what it costs.
void draw_request(KernelView& view, Painter& painter, std::size_t number, const Request& request) {
  Rect row = next_row(view, kCell);
  const Rect whole = row;
  painter.text(layout::cut_left(row, view.px(36)), fmt::format("{}.", number + 1), view.theme().dim, FontRole::small);
  const unsigned lanes = cuda::demos::lanes_in_warp(view.kernel, request.warp);
  const float width = painter.measure(FontRole::small, cuda::demos::answers_words(request));
  const Rect words = layout::cut_right(row, width + view.px(8));
  const std::vector<Rect> cells = layout::grouped_cells(row, lanes, 8, view.px(2), view.px(17));
  const std::uint32_t mask = cuda::demos::lanes_of(request);
  for (unsigned lane = 0; lane < cells.size(); ++lane) {
    const bool label_fits = cells[lane].width >= view.px(13);
    draw_mark(painter, cells[lane], (mask >> lane & 1U) != 0, label_fits ? std::to_string(lane) : "");
  }
  painter.text(words, cuda::demos::answers_words(request), view.theme().text, FontRole::small, Align::right);
  view.context.ui.registry.add_rect(fmt::format("request/{}", number), "request", cuda::demos::answers_words(request),
                                    cuda::demos::lanes_figure(mask, lanes), 0, screen_rect(whole));
}

/// The words of each sector, with the lane that wants them.
void draw_sectors(KernelView& view, Painter& painter, const Request& request) {
  const std::vector<SectorWords> sectors = cuda::demos::sector_words(request);
  for (std::size_t i = 0; i < std::min(sectors.size(), kMostSectors); ++i) {
    Rect row = next_row(view, kCell);
    const std::size_t last = sectors[i].begin + cuda::emulator::kSectorBytes - 1;
    painter.text(layout::cut_left(row, view.px(112)), tr_format("bytes {}-{}", sectors[i].begin, last),
                 view.theme().dim, FontRole::small);
    const std::vector<Rect> cells = layout::grouped_cells(row, sectors[i].by.size(), 0, 0, view.px(24));
    for (std::size_t word = 0; word < cells.size(); ++word) {
      const std::optional<unsigned> lane = sectors[i].by[word];
      draw_mark(painter, cells[word], lane.has_value(), lane ? std::to_string(*lane) : "");
    }
  }
  if (sectors.size() > kMostSectors)
    kernel_title(view, "more_sectors", tr_format("and {} sectors more", sectors.size() - kMostSectors));
}

/// The words of each bank that a request to shared memory wants: more than one of a bank are answered in turn.
void draw_banks(KernelView& view, Painter& painter, const Request& request) {
  const auto words = cuda::demos::bank_words(request);
  Rect row = next_row(view, kCell);
  painter.text(layout::cut_left(row, view.px(44)), tr("banks"), view.theme().dim, FontRole::small);
  const std::vector<Rect> cells = layout::grouped_cells(row, words.size(), 8, view.px(2), view.px(17));
  for (std::size_t bank = 0; bank < cells.size(); ++bank)
    draw_mark(painter, cells[bank], words[bank] > 0, std::to_string(words[bank]));
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

/// Widths of the columns behind the name, from the last to the first.
struct CountWidths {
  float answers = 0, bytes = 0, lanes = 0, requests = 0;
};

CountWidths widths_of(KernelView& view, const Painter& painter, const std::vector<CountRow>& rows) {
  CountWidths widths;
  const auto widen = [&](float& width, const std::string& words) {
    width = std::max(width, painter.measure(FontRole::small, words) + view.px(10));
  };
  for (const CountRow& row : rows) {
    widen(widths.answers, row.answers);
    widen(widths.bytes, row.bytes);
    widen(widths.lanes, row.lanes);
    widen(widths.requests, row.requests);
  }
  return widths;
}

void draw_cells(Painter& painter, Rect row, const CountRow& count, const CountWidths& widths, Colour colour) {
  const auto cell = [&](float width, const std::string& words) {
    painter.text(layout::cut_right(row, width), words, colour, FontRole::small, Align::right);
  };
  cell(widths.answers, count.answers);
  cell(widths.bytes, count.bytes);
  cell(widths.lanes, count.lanes);
  cell(widths.requests, count.requests);
  painter.text(row, count.name, colour, FontRole::small);
}

/// A line of the kernel; pressed, its requests are drawn.
void draw_count(KernelView& view, Painter& painter, const CountRow& count, const CountWidths& widths) {
  const LineCount& line = view.kernel.log().lines()[count.line];
  const bool chosen = view.state.line == count.line;
  const std::string value =
      fmt::format("{} requests, {}, {} B, {}", count.requests, count.lanes, count.bytes, count.answers);
  const std::string id = fmt::format("line/{}", count.line);
  const Pressable place = pressable(view.context, id, "row", cuda::demos::line_words(line), value, view.px(kRow));
  if (place.pressed) view.state.line = chosen ? std::nullopt : std::optional(count.line);
  if (chosen || place.hovered) painter.fill(place.area, chosen ? view.theme().selected : view.theme().hovered, 4);
  Rect row = place.area;
  layout::cut_left(row, view.px(4));
  draw_cells(painter, row, count, widths, view.theme().text);
}

void draw_counts(KernelView& view, Painter& painter) {
  std::vector<CountRow> rows = cuda::demos::count_rows(view.kernel);
  if (rows.empty()) return;
  CountRow heads = cuda::demos::count_heads();
  heads.name = tr("line, press for its requests");
  rows.push_back(heads);
  const CountWidths widths = widths_of(view, painter, rows);
  rows.pop_back();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {view.px(8), 0});
  draw_cells(painter, next_row(view, 16), heads, widths, view.theme().dim);
  for (const CountRow& row : rows) draw_count(view, painter, row, widths);
  ImGui::PopStyleVar();
  ImGui::Spacing();
}

void draw_sums(KernelView& view) {
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  const std::vector<std::string> sums = cuda::demos::sums_words(view.kernel);
  for (std::size_t i = 0; i < sums.size(); ++i) wrapped_text(view.context.ui, fmt::format("kernel_sum/{}", i), sums[i]);
}

/// What came out.
void draw_outputs(KernelView& view) {
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  const std::vector<cuda::demos::Output>& outputs = view.kernel.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    wrapped_text(view.context.ui, fmt::format("kernel_output/{}", i),
                 cuda::demos::output_words(outputs[i], kMostNumbers));
}

/// Before the first step: what the kernel is about, and what it is given.
void draw_beginning(KernelView& view) {
  wrapped_text(view.context.ui, "kernel_beginning", cuda::demos::beginning_words(view.kernel));
  const WithFont small(view.context.ui.fonts(), FontRole::small);
  const std::vector<cuda::demos::Input>& inputs = view.kernel.instance().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    wrapped_text(view.context.ui, fmt::format("kernel_input/{}", i), cuda::demos::input_words(inputs[i], kMostNumbers));
  ImGui::Spacing();
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
  if (view.kernel.num_steps() == 0) draw_beginning(view);
  if (view.kernel.threads().is_done()) draw_outputs(view);
  draw_gather(view, painter);
  draw_requests(view, painter);
  draw_counts(view, painter);
  draw_sums(view);
  draw_shared(view);
}

}  // namespace kvarium::ui
