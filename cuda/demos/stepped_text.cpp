#include "cuda/demos/stepped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/words/words.h"
#include "cuda/demos/source_text.h"
#include "cuda/simt/emulator/shared_memory.h"

namespace kvarium::cuda::demos {

using emulator::LaneAccess;
using emulator::LineCount;
using emulator::Request;
using emulator::Space;
using emulator::Thread;
using emulator::ThreadState;

namespace {

constexpr std::size_t kBanks = 32, kWord = 4, kSector = 32;

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

/// Which lanes touch which word: one line a sector of 32 bytes.
std::string sectors_figure(const Request& request) {
  std::vector<std::size_t> numbers;
  for (const LaneAccess& access : request.lanes) {
    for (std::size_t i = access.offset / kSector; i <= (access.offset + access.bytes - 1) / kSector; ++i)
      numbers.push_back(i);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  constexpr std::size_t kMostShown = 8;
  std::string figure;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostShown); ++i) {
    figure += fmt::format("  bytes {:>5} to {:>5}  [", numbers[i] * kSector, numbers[i] * kSector + kSector - 1);
    for (std::size_t word = numbers[i] * kSector / kWord; word < (numbers[i] + 1) * kSector / kWord; ++word) {
      const auto by = std::find_if(request.lanes.begin(), request.lanes.end(), [&](const LaneAccess& access) {
        return word * kWord < access.offset + access.bytes && access.offset < (word + 1) * kWord;
      });
      figure += by == request.lanes.end() ? "  ." : fmt::format("{:>3}", by->lane);
    }
    figure += " ]\n";
  }
  if (numbers.size() > kMostShown) figure += tr_format("  and {} sectors more\n", numbers.size() - kMostShown);
  return figure;
}

std::string counts_row(const SteppedKernel& kernel, const LineCount& line) {
  const bool is_global = line.space == Space::global;
  const BusyLanes lanes = busy_lanes(kernel, requests_of(kernel.log(), line));
  return fmt::format("  {:<26}{:>5}{:>10}{:>8}{:>6} {:<10}{:>5}\n", short_line_words(line), line.requests,
                     fmt::format("{:.4g} %", 100 * lanes.share()), line.bytes, line.answers,
                     is_global ? tr("sectors") : tr("wavefronts"), line.fewest_answers);
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
  if (!kernel.instance().paged) return "";
  const PagedTokens& paged = *kernel.instance().paged;
  std::string rows[5];
  const std::string heads[5] = {std::string(tr("token")), std::string(tr("block")), std::string(tr("slot")), "K", "V"};
  for (std::size_t i = 0; i < 5; ++i) rows[i] = fmt::format("{:<6}", heads[i]);
  const std::vector<bool> keys = touched_tokens(kernel, paged.keys), values = touched_tokens(kernel, paged.values);
  for (std::size_t token = 0; token < paged.slots.size(); ++token) {
    const std::size_t slot = paged.slots[token], block = slot / paged.block_size;
    const bool begins = token == 0 || paged.slots[token - 1] / paged.block_size != block;
    for (std::string& row : rows) row += begins && token > 0 ? " |" : "";
    rows[0] += fmt::format("{:>4}", token);
    rows[1] += begins ? fmt::format("{:>4}", block) : "    ";
    rows[2] += fmt::format("{:>4}", slot);
    rows[3] += keys[token] ? "   #" : "   .";
    rows[4] += values[token] ? "   #" : "   .";
  }
  std::string text;
  for (const std::string& row : rows) text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  return text + std::string(tr("# touched so far")) + "\n";
}

std::string requests_text(const SteppedKernel& kernel) {
  std::string text;
  if (const Request* global = newest_request(kernel.log(), Space::global)) {
    text += tr_format("global: {}", request_head(kernel, *global));
    text += tr_format("  sectors of 32 bytes: {}, fewest {}; which lane wants which word of 4 bytes:\n",
                      emulator::sectors(*global), emulator::fewest_sectors(*global));
    text += sectors_figure(*global);
  }
  if (const Request* shared = newest_request(kernel.log(), Space::shared)) {
    text += tr_format("shared: {}", request_head(kernel, *shared));
    text +=
        tr_format("  wavefronts: {}, fewest {}\n", emulator::wavefronts(*shared), emulator::fewest_wavefronts(*shared));
  }
  return text.empty() ? std::string(tr("no request yet")) + "\n" : text;
}

std::string shared_text(const SteppedKernel& kernel) {
  constexpr std::size_t kMostRows = 8;
  std::string text;
  for (const emulator::Region* region : kernel.threads().shared().regions()) {
    const std::size_t elements = region->num_elements();
    const std::size_t a_row = std::max<std::size_t>(1, kBanks * kWord / region->element_bytes);
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
  std::string text = fmt::format("  {:<26}{:>5}{:>10}{:>8}{:>6} {:<10}{:>5}\n", tr("line"), tr("req."), tr("lanes"),
                                 tr("bytes"), "", "", tr("fewest"));
  for (const LineCount& line : kernel.log().lines()) {
    if (line.requests > 0) text += counts_row(kernel, line);
  }
  const Traffic now = traffic(kernel.log()), whole = traffic(kernel.whole());
  const Instance& instance = kernel.instance();
  text += tr_format("this block so far: {} bytes of global memory in {} sectors ({} would do)\n", now.bytes,
                    now.sectors, now.fewest_sectors);
  text += tr_format("all blocks, to the end: {} bytes in {} sectors ({} would do)\n", whole.bytes, whole.sectors,
                    whole.fewest_sectors);
  text += tr_format("the kernel's table says: {} = {} bytes\n", instance.by_table.text, instance.by_table.bytes);
  text += tr_format("no kernel needs less than: {} = {} bytes\n", instance.floor.text, instance.floor.bytes);
  return text;
}

std::string source_text(const SteppedKernel& kernel, unsigned thread) {
  constexpr int kAround = 4;
  const Thread& at = kernel.threads().thread(thread);
  if (place_words(at).empty()) return std::string(tr("the thread has not started")) + "\n";
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
  text += part("lanes of the warp", lanes_text(kernel, thread / 32));
  text += part("source", source_text(kernel, thread));
  text += part("where the tokens lie", gather_text(kernel));
  text += part("the newest requests", requests_text(kernel));
  text += part("shared memory", shared_text(kernel));
  text += part("bytes", counts_text(kernel));
  if (!kernel.threads().is_done()) return text;
  for (const Output& output : kernel.instance().outputs()) {
    text += "\n" + output.name + ":";
    for (const float number : output.numbers) text += std::isnan(number) ? " ." : fmt::format(" {:.7g}", number);
    text += "\n";
  }
  return text;
}

}  // namespace kvarium::cuda::demos
