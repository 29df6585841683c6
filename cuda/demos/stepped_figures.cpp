#include "cuda/demos/stepped_figures.h"

#include <algorithm>
#include <cmath>

#include "core/words/words.h"
#include "cuda/demos/stepped_text.h"

namespace kvarium::cuda::demos {

using emulator::kSectorBytes;
using emulator::LaneAccess;
using emulator::LineCount;
using emulator::Request;
using emulator::Space;

namespace {

/// "1.5 -0.25 . ...": the first numbers, with a point for a NaN.
std::string numbers_words(const std::vector<float>& numbers, std::size_t most) {
  std::string words;
  for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i)
    words += std::isnan(numbers[i]) ? " ." : fmt::format(" {:.7g}", numbers[i]);
  return words + (numbers.size() > most ? tr_format(" ... ({} numbers)", numbers.size()) : "");
}

}  // namespace

std::vector<SectorWords> sector_words(const Request& request) {
  std::vector<std::size_t> begins;
  for (const LaneAccess& access : request.lanes) {
    for (std::size_t at = access.offset / kSectorBytes * kSectorBytes; at < access.offset + access.bytes;
         at += kSectorBytes)
      begins.push_back(at);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::vector<SectorWords> sectors;
  for (const std::size_t begin : begins) {
    SectorWords sector{begin, {}};
    for (std::size_t word = 0; word < kWordsASector; ++word) {
      const std::size_t at = begin + word * kWordBytes;
      const auto by = std::find_if(request.lanes.begin(), request.lanes.end(), [&](const LaneAccess& access) {
        return at < access.offset + access.bytes && access.offset < at + kWordBytes;
      });
      if (by != request.lanes.end()) sector.by[word] = by->lane;
    }
    sectors.push_back(sector);
  }
  return sectors;
}

std::array<std::size_t, emulator::kBanks> bank_words(const Request& request) {
  std::vector<std::size_t> words;
  for (const LaneAccess& access : request.lanes) {
    for (std::size_t word = access.offset / kWordBytes; word * kWordBytes < access.offset + access.bytes; ++word)
      words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<std::size_t, emulator::kBanks> banks{};
  for (const std::size_t word : words) ++banks[word % emulator::kBanks];
  return banks;
}

std::string answers_words(const Request& request) {
  if (request.space == Space::global)
    return tr_format("sectors {}, fewest {}", emulator::sectors(request), emulator::fewest_sectors(request));
  return tr_format("wavefronts {}, fewest {}", emulator::wavefronts(request), emulator::fewest_wavefronts(request));
}

CountRow count_heads() {
  const auto words = [](std::string_view english) { return std::string(tr(english)); };
  return {0, words("line"), words("req."), words("lanes"), words("bytes"), words("answers")};
}

std::vector<CountRow> count_rows(const SteppedKernel& kernel) {
  std::vector<CountRow> rows;
  const std::vector<LineCount>& lines = kernel.log().lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].requests == 0) continue;
    const BusyLanes lanes = busy_lanes(kernel, requests_of(kernel.log(), lines[i]));
    rows.push_back({i, short_line_words(lines[i]), std::to_string(lines[i].requests),
                    fmt::format("{:.4g} %", 100 * lanes.share()), std::to_string(lines[i].bytes),
                    fmt::format("{} / {}", lines[i].answers, lines[i].fewest_answers)});
  }
  return rows;
}

std::vector<std::string> sums_words(const SteppedKernel& kernel) {
  const Traffic now = traffic(kernel.log()), whole = traffic(kernel.whole());
  const Instance& instance = kernel.instance();
  std::string counted;
  for (const std::string& buffer : instance.counted) counted += (counted.empty() ? "" : ", ") + buffer;
  const std::string of = counted.empty() ? "" : tr_format(" of {}", counted);
  std::vector<std::string> sums{tr_format("this block so far: {} bytes of global memory in {} sectors ({} would do)",
                                          now.bytes, now.sectors, now.fewest_sectors),
                                tr_format("all blocks, to the end: {} bytes in {} sectors ({} would do)", whole.bytes,
                                          whole.sectors, whole.fewest_sectors)};
  if (!counted.empty())
    sums.push_back(tr_format("{} bytes{} among them", traffic(kernel.whole(), instance.counted).bytes, of));
  sums.push_back(
      tr_format("the kernel's table says: {} = {} bytes{}", instance.by_table.text, instance.by_table.bytes, of));
  sums.push_back(
      tr_format("no kernel needs less than: {} = {} bytes{}", instance.floor.text, instance.floor.bytes, of));
  return sums;
}

std::string input_words(const Input& input, std::size_t most_numbers) {
  return input.name + ":" + numbers_words(input.numbers, most_numbers);
}

std::string output_words(const Output& output, std::size_t most_numbers) {
  const double off = farthest_off(output);
  const std::string words = output.name + ":" + numbers_words(output.numbers, most_numbers);
  if (std::isinf(off)) return words + tr_format("; not all is written");
  return words + tr_format("; at most {:.2g} off the equation in double", off);
}

std::string beginning_words(const SteppedKernel& kernel) {
  return tr_format("{}; {}. Blocks: {}, each of {} threads.", kernel.place().of_kernel().does,
                   kernel.place().of_rung().idea, kernel.num_blocks(), kernel.threads().num_threads());
}

}  // namespace kvarium::cuda::demos
