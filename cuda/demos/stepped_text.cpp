#include "cuda/demos/stepped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/words/words.h"
#include "cuda/demos/kernel_head.h"
#include "cuda/demos/source_text.h"
#include "cuda/demos/stepped_figures.h"
#include "cuda/simt/emulator/shared_memory.h"

namespace kvarium::cuda::demos {

using emulator::LaneAccess;
using emulator::LineCount;
using emulator::Request;
using emulator::Space;
using emulator::Thread;
using emulator::ThreadState;

namespace {

/// Names of all registers that threads [first, end) show, in the order in which they were first shown.
std::vector<std::string> shown_names(const SteppedKernel& kernel, unsigned first, unsigned end) {
  std::vector<std::string> names;
  for (unsigned t = first; t < end; ++t) {
    for (const emulator::ShownNumber& number : kernel.threads().thread(t).shown) {
      if (std::find(names.begin(), names.end(), number.name) == names.end()) names.emplace_back(number.name);
    }
  }
  return names;
}

/// Rows of cells as lines: the first `left` columns start where their widest cell lets them, the others end there.
std::string columns_text(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const std::vector<std::string>& other : rows) width = std::max(width, other[i].size());
      text += i < left ? fmt::format("{:<{}}  ", row[i], width) : fmt::format("{:>{}}  ", row[i], width);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

/// "1.5000 2 3": the numbers of a piece of shared memory; hexadecimal where an element is no float.
std::string element_words(const emulator::Region& region, std::size_t element) {
  const std::byte* at = region.begin + element * region.element_bytes;
  if (region.element_bytes == sizeof(float)) {
    float number = 0;
    std::memcpy(&number, at, sizeof number);
    return number_words(static_cast<double>(number));
  }
  std::string digits;
  for (std::size_t i = region.element_bytes; i > 0; --i)
    digits += fmt::format("{:02x}", static_cast<unsigned>(at[i - 1]));
  return digits;
}

bool is_written(const emulator::Region& region, std::size_t element) {
  return region.written == nullptr || region.written[element * region.element_bytes] != 0;
}

std::string request_head(const SteppedKernel& kernel, const Request& request) {
  const LineCount line{request.site, request.access, request.space, request.region};
  const unsigned lanes = lanes_in_warp(kernel, request.warp);
  return tr_format("{}\n  warp {}, lanes [{}] {} of {}\n", line_words(line), request.warp,
                   lanes_figure(lanes_of(request), lanes), request.lanes.size(), lanes);
}

/// Which lanes touch which word: one line a sector.
std::string sectors_figure(const Request& request) {
  constexpr std::size_t kMostShown = 8;
  const std::vector<SectorWords> sectors = sector_words(request);
  std::string figure;
  for (std::size_t i = 0; i < std::min(sectors.size(), kMostShown); ++i) {
    figure += fmt::format("  bytes {:>5} to {:>5}  [", sectors[i].begin, sectors[i].begin + emulator::kSectorBytes - 1);
    for (const std::optional<unsigned>& lane : sectors[i].by) figure += lane ? fmt::format("{:>3}", *lane) : "  .";
    figure += " ]\n";
  }
  if (sectors.size() > kMostShown) figure += tr_format("  and {} sectors more\n", sectors.size() - kMostShown);
  return figure;
}

/// How many words of each bank are wanted.
std::string banks_figure(const Request& request) {
  std::string figure = fmt::format("  {} ", tr("words of each bank"));
  const auto banks = bank_words(request);
  for (std::size_t bank = 0; bank < banks.size(); ++bank)
    figure += (bank % 8 == 0 ? " " : "") + (banks[bank] == 0 ? std::string(".") : std::to_string(banks[bank]));
  return figure + "\n";
}

}  // namespace

std::string state_words(const Thread& thread) {
  switch (thread.state) {
    case ThreadState::unstarted:
      return std::string(tr("not started"));
    case ThreadState::ready:
      return std::string(tr("can go on"));
    case ThreadState::paused:
      return tr_format("at stop \"{}\"", thread.waits_at);
    case ThreadState::at_barrier:
      return tr_format("waits at {} for all", thread.waits_at);
    case ThreadState::at_warp_call:
      return tr_format("waits at {} for lanes {}", thread.waits_at, lanes_words(thread.mask));
    case ThreadState::returned:
      return std::string(tr("done"));
  }
  return "";
}

char state_sign(const Thread& thread) {
  switch (thread.state) {
    case ThreadState::unstarted:
      return '.';
    case ThreadState::ready:
      return '>';
    case ThreadState::paused:
      return '|';
    case ThreadState::at_barrier:
      return '=';
    case ThreadState::at_warp_call:
      return '~';
    case ThreadState::returned:
      return 'x';
  }
  return ' ';
}

std::string state_signs() {
  return std::string(
      tr(". not started   > can go on   | at a stop   ~ waits for lanes   = waits at the barrier   x done"));
}

std::string lanes_words(std::uint32_t mask) {
  std::string words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    unsigned end = lane;
    while (end + 1 < 32 && (mask >> (end + 1) & 1U) != 0) ++end;
    words += fmt::format("{}{}", words.empty() ? "" : " ", lane);
    if (end > lane) words += fmt::format("-{}", end);
    lane = end;
  }
  return words;
}

std::string lanes_figure(std::uint32_t mask, unsigned lanes) {
  std::string figure;
  for (unsigned lane = 0; lane < lanes; ++lane) figure += (mask >> lane & 1U) != 0 ? '#' : '.';
  return figure;
}

std::string place_words(const Thread& thread) {
  return thread.site.line == 0 || thread.state == ThreadState::unstarted ? "" : emulator::text_of(thread.site);
}

std::string number_words(double number) {
  if (std::isnan(number)) return "nan";
  const bool whole = number == std::floor(number) && std::fabs(number) < 1e9;
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4f}", number);
}

std::string busy_words(const BusyLanes& lanes) {
  return tr_format("{} of {}, {:.4g} %", lanes.busy, lanes.all, 100 * lanes.share());
}

std::string register_words(const Thread& thread, std::string_view name) {
  for (const emulator::ShownNumber& number : thread.shown) {
    if (number.name == name) return number_words(number.value);
  }
  return "";
}

std::string line_words(const LineCount& line) {
  return fmt::format("{} {} ({})", tr(emulator::verb(line.access)), line.region, emulator::text_of(line.site));
}

std::string short_line_words(const LineCount& line) {
  return fmt::format("{} {} :{}", tr(emulator::verb(line.access)), line.region, line.site.line);
}

std::string lanes_text(const SteppedKernel& kernel, unsigned warp) {
  const unsigned first = 32 * warp, end = first + lanes_in_warp(kernel, warp);
  std::vector<std::vector<std::string>> rows{
      {std::string(tr("lane")), std::string(tr("line")), std::string(tr("state"))}};
  const std::vector<std::string> names = shown_names(kernel, first, end);
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (unsigned t = first; t < end; ++t) {
    const Thread& thread = kernel.threads().thread(t);
    const std::string line = place_words(thread).empty() ? "" : fmt::format(":{}", thread.site.line);
    rows.push_back({std::to_string(t - first), line, state_words(thread)});
    for (const std::string& name : names) rows.back().push_back(register_words(thread, name));
  }
  return columns_text(rows, 3);
}

std::string gather_text(const SteppedKernel& kernel) {
  constexpr std::size_t kTokensALine = 24;
  if (!kernel.instance().paged) return "";
  const PagedTokens& paged = *kernel.instance().paged;
  const std::vector<TouchedRows> touched = touched_rows(kernel);
  std::string text;
  for (std::size_t first = 0; first < paged.slots.size();) {
    std::vector<std::string> lines{fmt::format("{:<6}", tr("token")), fmt::format("{:<6}", tr("block")),
                                   fmt::format("{:<6}", tr("slot"))};
    for (const TouchedRows& rows : touched) lines.push_back(fmt::format("{:<6}", tr(rows.name)));
    std::size_t token = first;
    for (; token < paged.slots.size(); ++token) {
      const std::size_t slot = paged.slots[token], block = slot / paged.block_size;
      const bool begins = token == first || paged.slots[token - 1] / paged.block_size != block;
      if (begins && token - first >= kTokensALine) break;
      for (std::string& line : lines) line += begins && token > first ? " |" : "";
      lines[0] += fmt::format("{:>4}", token);
      lines[1] += begins ? fmt::format("{:>4}", block) : "    ";
      lines[2] += fmt::format("{:>4}", slot);
      for (std::size_t i = 0; i < touched.size(); ++i) lines[3 + i] += touched[i].tokens[token] ? "   #" : "   .";
    }
    for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    first = token;
  }
  return text + std::string(tr("# touched so far")) + "\n";
}

std::string requests_text(const SteppedKernel& kernel) {
  std::string text;
  if (const Request* global = newest_request(kernel.log(), Space::global)) {
    text += tr_format("global: {}", request_head(kernel, *global));
    text += tr_format("  {}; which lane wants which word of 4 bytes:\n", answers_words(*global));
    text += sectors_figure(*global);
  }
  if (const Request* shared = newest_request(kernel.log(), Space::shared)) {
    text += tr_format("shared: {}", request_head(kernel, *shared));
    text += tr_format("  {}\n", answers_words(*shared)) + banks_figure(*shared);
  }
  return text.empty() ? std::string(tr("no request yet")) + "\n" : text;
}

std::string shared_text(const SteppedKernel& kernel) {
  constexpr std::size_t kMostRows = 8;
  std::string text;
  for (const emulator::Region* region : kernel.threads().shared().regions()) {
    const std::size_t elements = region->num_elements();
    const std::size_t a_row = std::max<std::size_t>(1, emulator::kBanks * kWordBytes / region->element_bytes);
    text += tr_format("{}: {} elements of {} bytes\n", region->name, elements, region->element_bytes);
    std::size_t rows = 0, written = 0;
    for (std::size_t row = 0; row * a_row < elements; ++row) {
      std::string numbers;
      bool has_any = false;
      for (std::size_t i = row * a_row; i < std::min((row + 1) * a_row, elements); ++i) {
        has_any = has_any || is_written(*region, i);
        written += is_written(*region, i) ? 1 : 0;
        numbers += is_written(*region, i) ? " " + element_words(*region, i) : " .";
      }
      if (has_any && ++rows <= kMostRows) text += fmt::format("  {:>5}:{}\n", row * a_row, numbers);
    }
    text += tr_format("  {} elements are written\n", written);
  }
  return text;
}

std::string counts_text(const SteppedKernel& kernel) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const CountRow& row) {
    rows.push_back({"  " + row.name, row.requests, row.lanes, row.bytes, row.answers});
  };
  add(count_heads());
  for (const CountRow& row : count_rows(kernel)) add(row);
  std::string text = columns_text(rows, 1);
  text += std::string(tr("  answers: sectors or wavefronts / the fewest that would do")) + "\n";
  for (const std::string& sum : sums_words(kernel)) text += sum + "\n";
  return text;
}

std::string source_text(const SteppedKernel& kernel, unsigned thread) {
  constexpr int kAround = 4;
  const Thread& at = kernel.threads().thread(thread);
  if (place_words(at).empty()) {
    std::string text = tr_format("thread {} has not started; the head of the kernel's file:", thread) + "\n";
    for (const std::string& line : head_comment(kernel.place().of_kernel().id)) text += "  " + line + "\n";
    return text;
  }
  const std::vector<std::string>& lines = source_lines(at.site);
  if (lines.empty()) return tr_format("the source of {} is not in this program\n", emulator::text_of(at.site));
  std::string text = place_words(at) + "\n";
  const int first = std::max(1, at.site.line - kAround);
  const int last = std::min(static_cast<int>(lines.size()), at.site.line + kAround);
  for (int line = first; line <= last; ++line) {
    text += fmt::format("{} {:>4}  {}\n", line == at.site.line ? '>' : ' ', line,
                        lines[static_cast<std::size_t>(line) - 1]);
  }
  return text;
}

std::string kernel_text(const SteppedKernel& kernel, unsigned thread) {
  constexpr std::size_t kMostNumbers = 256;
  const DemoPlace& place = kernel.place();
  const auto part = [](std::string_view title, const std::string& words) {
    return words.empty() ? "" : fmt::format("\n{}\n{}", tr(title), words);
  };
  std::string text = tr_format("{} / {}: {}\n{}\n", place.of_kernel().id, place.of_rung().id, place.of_rung().idea,
                               place.of_problem().title);
  text += tr_format("emulated, no times; after {} steps, block {} of {}, {} threads\n", kernel.num_steps(),
                    kernel.block(), kernel.num_blocks(), kernel.threads().num_threads());
  if (!kernel.fault().empty()) text += tr_format("stopped by the checker: {}\n", kernel.fault());
  text += tr_format("{}\n", kernel.threads().waiting());
  if (kernel.num_steps() == 0) {
    std::string comes = beginning_words(kernel) + "\n";
    for (const Input& input : kernel.instance().inputs) comes += input_words(input, kMostNumbers) + "\n";
    text += part("what comes", comes);
  }
  text += part("lanes of the warp", lanes_text(kernel, thread / 32));
  text += part("source", source_text(kernel, thread));
  text += part("where the tokens lie", gather_text(kernel));
  text += part("the newest requests", requests_text(kernel));
  text += part("shared memory", shared_text(kernel));
  text += part("bytes", counts_text(kernel));
  if (!kernel.threads().is_done()) return text;
  for (const Output& output : kernel.outputs()) text += "\n" + output_words(output, kMostNumbers) + "\n";
  return text;
}

}  // namespace kvarium::cuda::demos
